// The parts of ECharts that the charts use; esbuild leaves the rest out.
import * as core from 'echarts/core';
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent, AxisPointerComponent, DataZoomInsideComponent, DataZoomSliderComponent, DatasetComponent, GridComponent, MarkAreaComponent,
  MarkLineComponent, TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

core.use([
  AriaComponent, AxisPointerComponent, CanvasRenderer, CustomChart, DataZoomInsideComponent, DataZoomSliderComponent, DatasetComponent,
  GridComponent, LineChart, MarkAreaComponent, MarkLineComponent, ScatterChart, TooltipComponent,
]);

export const { init, getInstanceByDom } = core;
