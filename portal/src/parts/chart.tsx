import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { useStore } from '../shell/store.ts'
import { shownTheme } from '../shell/theme.ts'
import { markTexts } from './formats.ts'
import { lonePlaces } from './line-data.ts'

export interface Line {
  readonly name: string
  readonly axis?: 'left' | 'right'
  /** Its place among the colours; by default its place among the lines. */
  readonly color?: number
  /** Holds its value until the next one. */
  readonly stepped?: boolean
}

export interface ChartProps {
  /** What a reader who cannot see it is told. */
  readonly title: string
  readonly lines: readonly Line[]
  /** Seconds since 1970, then the values of each line. */
  readonly data: uPlot.AlignedData
  readonly height: number
  readonly from?: number
  readonly to?: number
  onZoom?(fromMs: number, toMs: number): void
  /** Over which place in the data the pointer is. */
  onCursor?(index: number | null): void
}

const light = [
  '#0b6e85',
  '#c05a12',
  '#5b4bb5',
  '#3d7a2a',
  '#b0336f',
  '#6a5a2c',
  '#2c5fb0',
  '#8a3b32',
  '#4b6a74',
  '#93620c',
]
const dark = [
  '#54c1d8',
  '#f0a35e',
  '#a99bf0',
  '#8ccf74',
  '#ef86b4',
  '#cdb873',
  '#86b1f5',
  '#e79086',
  '#a3c0c9',
  '#dcae4f',
]

export const lineColor = (place: number, theme: 'light' | 'dark'): string =>
  (theme === 'dark' ? dark : light)[place % light.length]!

/** Loaded when the first chart is shown. */
const loadPlot = () => Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')])

const onNewDay = ['\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1] as const
/** How times are written at the axis, by the seconds between two marks (the form is uPlot's own). */
const timeForms: (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', ...onNewDay],
  [1, '{HH}:{mm}:{ss}', ...onNewDay],
  [0.001, '{ss}.{fff}', '\n{YYYY}-{MM}-{DD} {HH}:{mm}', null, null, null, '\n{HH}:{mm}', null, 1],
]

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function axis(more: uPlot.Axis): uPlot.Axis {
  const line = { stroke: variable('--line'), width: 1 }
  return { stroke: variable('--text-soft'), font: '12px system-ui', grid: line, ticks: { ...line, size: 4 }, ...more }
}

/** What is measured: as wide as its marks. */
function valueAxis(more: uPlot.Axis): uPlot.Axis {
  return axis({
    size: (_, texts) => Math.max(62, 16 + 7 * Math.max(0, ...(texts ?? []).map(({ length }) => length))),
    values: (_, marks, __, ___, step) => markTexts(marks, step),
    ...more,
  })
}

function optionsOf(plot: typeof uPlot, props: ChartProps, width: number, theme: 'light' | 'dark'): uPlot.Options {
  const { lines, height, from, to, onZoom, onCursor } = props
  const right = lines.some((line) => line.axis === 'right')
  return {
    width,
    height,
    tzDate: (seconds) => plot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { drag: { x: onZoom !== undefined, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      x: { time: true, ...(from !== undefined && to !== undefined && { range: [from, to] as [number, number] }) },
    },
    axes: [
      axis({ space: 80, values: timeForms }),
      valueAxis({ scale: 'left' }),
      ...(right ? [valueAxis({ scale: 'right', side: 1, grid: { show: false } })] : []),
    ],
    series: [{}, ...lines.map((line, place) => seriesOf(plot, line, lineColor(line.color ?? place, theme)))],
    hooks: {
      setCursor: [(chart) => onCursor?.(chart.cursor.idx ?? null)],
      setSelect: [
        (chart) => {
          if (chart.select.width < 4) return
          const at = (x: number): number => chart.posToVal(x, 'x') * 1000
          onZoom?.(at(chart.select.left), at(chart.select.left + chart.select.width))
        },
      ],
    },
  }
}

function seriesOf(plot: typeof uPlot, line: Line, stroke: string): uPlot.Series {
  const paths = line.stepped === true ? plot.paths.stepped?.({ align: 1 }) : undefined
  return {
    label: line.name,
    scale: line.axis ?? 'left',
    stroke,
    width: 1.5,
    spanGaps: false,
    points: { size: 4, filter: (chart, place, all) => (all ? null : lonePlaces(Array.from(chart.data[place] ?? []))) },
    ...(paths && { paths }),
  }
}

/** Lines over time, in UTC. Dragging over it picks a stretch of time where the page takes one. */
export function Chart(props: ChartProps) {
  const { title, lines, data, height, from, to } = props
  const room = useRef<HTMLDivElement>(null)
  const made = useRef<uPlot | null>(null)
  const theme = useStore(shownTheme)
  const [plot, setPlot] = useState<typeof uPlot | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => void loadPlot().then(([module]) => setPlot(() => module.default)), [])
  const shape = JSON.stringify([lines, height, from, to])
  useEffect(() => {
    const element = room.current
    if (plot === null || element === null) return
    const width = Math.max(120, element.clientWidth)
    const zoom = latest.current.onZoom
    const options = optionsOf(
      plot,
      {
        ...latest.current,
        ...(zoom && { onZoom: (a: number, b: number) => latest.current.onZoom?.(a, b) }),
        onCursor: (index) => latest.current.onCursor?.(index),
      },
      width,
      theme,
    )
    const chart = new plot(options, latest.current.data, element)
    made.current = chart
    const watcher = new ResizeObserver(() => {
      const now = Math.max(120, element.clientWidth)
      if (now !== chart.width) chart.setSize({ width: now, height })
    })
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      chart.destroy()
      made.current = null
    }
  }, [plot, theme, shape])
  useEffect(() => {
    if (made.current !== null && made.current.data !== data) made.current.setData(data)
  }, [data])
  return <div ref={room} class="chart" role="img" aria-label={title} style={{ minHeight: `${height}px` }} />
}
