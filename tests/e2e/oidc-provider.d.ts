// As much of oidc-provider's interface as the tests use; the package brings no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Interaction {
    uid: string;
    prompt: { name: string };
    params: { client_id: string };
    session?: { accountId: string };
  }

  export interface Context {
    path: string;
    status: number;
    body: unknown;
    response: { get(header: string): string | undefined; remove(header: string): void };
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    Grant: new (of: { accountId: string | undefined; clientId: string }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(layer: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
