// The parts of ECharts that the charts use; esbuild leaves the rest out. Pictures and paper are drawn as SVG.
import * as core from 'echarts/core';
import { LineChart, ScatterChart } from 'echarts/charts';
import {
  AxisPointerComponent, DataZoomInsideComponent, DataZoomSliderComponent, GridComponent, MarkAreaComponent, MarkLineComponent,
  TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

core.use([
  AxisPointerComponent, CanvasRenderer, DataZoomInsideComponent, DataZoomSliderComponent, GridComponent, LineChart, MarkAreaComponent,
  MarkLineComponent, ScatterChart, SVGRenderer, TooltipComponent,
]);

export const { init, getInstanceByDom } = core;
