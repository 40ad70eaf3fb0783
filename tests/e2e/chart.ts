// What stands in a chart: what it was told, and every word of it.
import type { Locator } from '@playwright/test';

/** What ECharts was told, read from the instance that stands in the page. */
export async function option(figure: Locator): Promise<Record<string, unknown>> {
  return figure.evaluate(element => {
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): { getOption(): object } | undefined } };
    for (const candidate of [element, ...element.querySelectorAll('*')]) {
      const instance = echarts.getInstanceByDom(candidate);
      if (instance) return JSON.parse(JSON.stringify(instance.getOption())) as Record<string, unknown>;
    }
    throw new Error('no chart instance stands in the figure');
  });
}

/** Every word that stands in the figure: in the page, and drawn on the canvas. */
export async function words(figure: Locator): Promise<string> {
  return figure.evaluate(element => {
    interface Drawn {
      style?: { text?: string };
    }
    interface Chart {
      getZr(): { storage: { getDisplayList(update: boolean): Drawn[] } };
    }
    const { echarts } = window as unknown as { echarts: { getInstanceByDom(e: Element): Chart | undefined } };
    const all = [element.textContent ?? ''];
    for (const candidate of element.querySelectorAll('*')) {
      const list = echarts.getInstanceByDom(candidate)?.getZr().storage.getDisplayList(true) ?? [];
      all.push(...list.map(drawn => drawn.style?.text ?? ''));
    }
    return all.join(' ');
  });
}
