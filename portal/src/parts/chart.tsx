import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { useStore } from '../shell/store.ts'
import { shownTheme } from '../shell/theme.ts'
import { markTexts, valueText } from './formats.ts'
import { type Line, lonePlaces } from './line-data.ts'
import { pinched, type Span, zoomed } from './span.ts'

/** The drawing context of a painter, in pixels of the canvas. */
export interface Canvas {
  readonly ctx: CanvasRenderingContext2D
  readonly bbox: { readonly left: number; readonly top: number; readonly width: number; readonly height: number }
  /** The pixel of a second (`x`), or of a value on the axis with this index. */
  at(value: number, axis: 'x' | number): number
}

export interface ChartProps {
  /** The text for screen readers. */
  readonly title: string
  readonly lines: readonly Line[]
  /** Seconds since 1970, followed by the values of each line. */
  readonly data: uPlot.AlignedData
  readonly height: number
  readonly from?: number
  readonly to?: number
  /** The zone of the time axis, which the page names. */
  readonly zone: string
  /** Indexes of lines between which the space is filled. */
  readonly bands?: readonly { readonly low: number; readonly high: number }[]
  /** The index of the highlighted line. */
  readonly focus?: number | null
  /** The value axes. Default: one on the left. */
  readonly axes?: readonly ValueAxis[]
  /** The range of values, if not that of the lines. */
  readonly values?: 'from zero' | readonly [from: number, to: number]
  /** Paints parts other than lines. */
  paint?(canvas: Canvas): void
  onZoom?(fromMs: number, toMs: number): void
  /** Vertical lines with names. */
  readonly marks?: readonly Mark[]
  /** Called for a click that is not part of a double click. */
  onPick?(second: number): void
  /** Called with the data index under the pointer. */
  onCursor?(index: number | null): void
  /** Called with the indexes of the value axes that fit; axes whose lines are all hidden are omitted. */
  onAxes?(places: readonly number[]): void
}

interface Mark {
  readonly second: number
  readonly name: string
}

export interface ValueAxis {
  readonly side: 'left' | 'right'
  /** The unit of its values. */
  readonly label: string
  /** The scale, if not that of the lines. A logarithmic one shows only values above zero. */
  readonly scale?: Scale
}

export interface Scale {
  readonly isLog: boolean
  readonly least: number | null
  readonly greatest: number | null
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

/** From this index on, lines reuse the colours from the start, with dashes. */
export const dashedFrom = light.length

export const lineColor = (place: number, theme: 'light' | 'dark'): string =>
  (theme === 'dark' ? dark : light)[place % light.length]!

/** The colour of a state that means "nothing". */
export const mutedColor = (theme: 'light' | 'dark'): string => (theme === 'dark' ? '#66747b' : '#b8c2c6')

/** Loaded with the first chart. */
const loadPlot = () => Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')])

const onNewDay = ['\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1] as const
/** Time formats of the axis, by the seconds between two ticks (uPlot's own format). */
const timeForms: (string | number | null)[][] = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', ...onNewDay],
  [1, '{HH}:{mm}:{ss}', ...onNewDay],
  [0.001, '{ss}.{fff}', '\n{YYYY}-{MM}-{DD} {HH}:{mm}', null, null, null, '\n{HH}:{mm}', null, 1],
]

let knownNames: uPlot.DateNames | null = null

/** Names in the browser's language, computed once: this takes as long as drawing a small chart. */
function dateNames(): uPlot.DateNames {
  knownNames ??= newDateNames()
  return knownNames
}

function newDateNames(): uPlot.DateNames {
  const names = (count: number, options: Intl.DateTimeFormatOptions, ms: (place: number) => number): string[] => {
    const form = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })
    return Array.from({ length: count }, (_, place) => form.format(ms(place)))
  }
  const month = (place: number): number => Date.UTC(2026, place, 1)
  // The first of November 2026 is a Sunday.
  const day = (place: number): number => Date.UTC(2026, 10, 1 + place)
  return {
    ...{ MMMM: names(12, { month: 'long' }, month), MMM: names(12, { month: 'short' }, month) },
    ...{ WWWW: names(7, { weekday: 'long' }, day), WWW: names(7, { weekday: 'short' }, day) },
  }
}

/** The value of a CSS variable of the page. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function axis(more: uPlot.Axis): uPlot.Axis {
  const line = { stroke: variable('--line'), width: 1 }
  return { stroke: variable('--text-soft'), font: '12px system-ui', grid: line, ticks: { ...line, size: 4 }, ...more }
}

/** Below this width, as on a phone, a chart has tick labels on at most two axes; more would leave no space for the lines. */
const narrowPixels = 600
const narrowAxesMax = 2
/** The minimum width of a single axis, so that charts below each other are aligned. */
const loneAxisPixelsMin = 62

/** Below this height a chart has ticks closer to each other, or it would have only two. */
const lowPixels = 200
/** The minimum distance between ticks. */
const markPixels = (height: number) => (height < lowPixels ? { time: 56, value: 16 } : { time: 80, value: 30 })

/** A value axis for one unit, as wide as its tick labels. */
function valueAxis({ side, label, scale }: ValueAxis, place: number, unit: number, least: number): uPlot.Axis {
  return axis({
    ...{ scale: scaleName(place), side: side === 'left' ? 3 : 1 },
    ...(label !== '' && { label, labelSize: 18, labelGap: 2, labelFont: '12px system-ui' }),
    size: (_, texts) => Math.max(least, 16 + 7 * Math.max(0, ...(texts ?? []).map(({ length }) => length))),
    values: (_, marks, __, ___, step) =>
      scale?.isLog === true
        ? marks.map((mark) => logText(mark, unit))
        : markTexts(
            marks.map((mark) => mark * unit),
            step * unit,
          ),
  })
}

/** The name of an axis's scale in uPlot. */
const scaleName = (place: number): string => `axis ${place}`

const oneAxis: readonly ValueAxis[] = [{ side: 'left', label: '' }]

/** uPlot passes null for a tick that has no space. */
const logText = (mark: number | null, unit: number): string => (mark === null ? '' : valueText(mark * unit))

/** The alpha of a band's fill, over the colours of the page. */
const bandAlpha = '33'
/** The alpha of a band's edges. They are drawn because a peak of one bucket has no width to fill. */
const edgeAlpha = '99'

/** The indexes of the axes that are shown. */
function markedAxes({ lines, axes = oneAxis }: ChartProps, width: number): number[] {
  const isShown = (place: number): boolean => lines.some(({ axis = 0, hidden }) => axis === place && hidden !== true)
  return axes
    .map((_, place) => place)
    .filter(isShown)
    .slice(0, width < narrowPixels ? narrowAxesMax : axes.length)
}

function optionsOf(
  plot: typeof uPlot,
  props: ChartProps,
  width: number,
  theme: 'light' | 'dark',
  units: readonly number[],
): uPlot.Options {
  const { lines, height, from, to, zone, bands = [], axes = oneAxis, values, paint, onZoom, onCursor } = props
  const colorOf = (place: number): string => lineColor(lines[place]!.color ?? place, theme)
  const isBare = Array.isArray(values)
  const marked = markedAxes(props, width)
  const space = markPixels(height)
  return {
    width,
    height,
    tzDate: (seconds) => plot.tzDate(new Date(seconds * 1000), zone === 'UTC' ? 'Etc/UTC' : zone),
    legend: { show: false },
    fmtDate: (template) => plot.fmtDate(template, dateNames()),
    focus: { alpha: 0.2 },
    cursor: { drag: { x: onZoom !== undefined, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      x: { time: true, ...(from !== undefined && to !== undefined && { range: [from, to] as [number, number] }) },
      ...Object.fromEntries(
        axes.map(({ scale }, place): [string, uPlot.Scale] => [
          scaleName(place),
          values !== undefined
            ? { range: rangeOf(plot, values) }
            : scale !== undefined
              ? scaleOf(plot, scale, units[place]!)
              : {},
        ]),
      ),
    },
    axes: [
      axis({ space: space.time, values: timeForms }),
      ...axes.map((one, place) => ({
        space: space.value,
        ...valueAxis(one, place, units[place]!, marked.length > 1 ? 0 : loneAxisPixelsMin),
        ...(place !== marked[0] && { grid: { show: false } }),
        ...(isBare && { grid: { show: false }, ticks: { show: false }, values: () => [] }),
        show: marked.includes(place),
      })),
    ],
    series: [{}, ...lines.map((line, place) => seriesOf(plot, line, place, colorOf(place)))],
    bands: bands.map(({ low, high }) => ({ series: [high + 1, low + 1], fill: `${colorOf(low)}${bandAlpha}` })),
    hooks: {
      drawAxes: [
        ({ ctx, bbox, valToPos }) =>
          paint?.({
            ctx,
            bbox,
            at: (value, axis) =>
              axis === 'x' ? valToPos(value, 'x', true) : valToPos(value / units[axis]!, scaleName(axis), true),
          }),
      ],
      draw: [(chart) => paintMarks(chart, props.marks ?? [])],
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

function paintMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly Mark[]): void {
  ctx.save()
  ctx.fillStyle = variable('--text')
  ctx.font = `bold ${12 * devicePixelRatio}px system-ui`
  ctx.textAlign = 'center'
  for (const { second, name } of marks) {
    const x = Math.round(valToPos(second, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.fillRect(x, bbox.top, devicePixelRatio, bbox.height)
    ctx.fillText(name, x, bbox.top - 3 * devicePixelRatio)
  }
  ctx.restore()
}

/** uPlot finds no ticks for larger values. */
const markedMax = 1e16

/** Divisors for the values of each axis, so that uPlot can place ticks. */
function unitsOf(axes: readonly ValueAxis[], lines: readonly Line[], [, ...columns]: uPlot.AlignedData): number[] {
  return axes.map((_, axis) => {
    let largest = 0
    for (const [place, { axis: own = 0 }] of lines.entries()) {
      if (own === axis) for (const value of columns[place] ?? []) largest = Math.max(largest, Math.abs(value ?? 0))
    }
    return largest >= markedMax ? 10 ** Math.floor(Math.log10(largest)) : 1
  })
}

function inUnits(lines: readonly Line[], data: uPlot.AlignedData, units: readonly number[]): uPlot.AlignedData {
  if (units.every((unit) => unit === 1)) return data
  const [seconds, ...columns] = data
  const divided = columns.map((values, place) => {
    const unit = units[lines[place]?.axis ?? 0]!
    return Array.from(values, (value) => (value == null ? value : value / unit))
  })
  return [seconds, ...divided]
}

function rangeOf(plot: typeof uPlot, values: NonNullable<ChartProps['values']>): uPlot.Scale.Range {
  if (values !== 'from zero') return [...values]
  // For data that is all zero, uPlot would draw 0 to 100.
  return (_, min, max) =>
    min === 0 && max === 0 ? [0, 1] : plot.rangeNum(Math.min(0, min), Math.max(0, max), 0.1, true)
}

/** The scale of the lines, with any limits that are set. */
function scaleOf(plot: typeof uPlot, { isLog, least, greatest }: Scale, unit: number): uPlot.Scale {
  const limit = (value: number | null): number | null => (value === null || (isLog && value <= 0) ? null : value / unit)
  const [from, to] = [limit(least), limit(greatest)]
  return {
    ...(isLog && { distr: 3 }),
    range: (_, min, max) => {
      const [low, high] =
        min === null || max === null
          ? [isLog ? 1 : 0, isLog ? 10 : 1]
          : isLog
            ? plot.rangeLog(min, max, 10, false)
            : plot.rangeNum(min, max, 0.1, true)
      const [start, end] = [from ?? low ?? 0, to ?? high ?? 1]
      // Reversed limits are ignored.
      return start < end ? [start, end] : [low, high]
    },
  }
}

/** Removes values that a logarithmic axis cannot show: zero and below. */
function aboveZero(
  axes: readonly ValueAxis[],
  lines: readonly Line[],
  [seconds, ...columns]: uPlot.AlignedData,
): uPlot.AlignedData {
  return [
    seconds,
    ...columns.map((values, place) =>
      axes[lines[place]?.axis ?? 0]?.scale?.isLog === true
        ? Array.from(values, (value) => (value != null && value <= 0 ? null : value))
        : values,
    ),
  ]
}

/** The dash of an incomplete bucket. */
const dash = [4, 4]
/** The dash of a line that shares its colour with another one. */
const longDash = [12, 4]

function seriesOf(plot: typeof uPlot, line: Line, place: number, color: string): uPlot.Series {
  const { name, axis = 0, drawn = 'line', dashed } = line
  const paths = drawn === 'step' ? plot.paths.stepped?.({ align: 1 }) : drawn === 'painted' ? () => null : undefined
  return {
    label: name,
    scale: scaleName(axis),
    stroke: drawn === 'edge' ? `${color}${edgeAlpha}` : color,
    width: drawn === 'edge' ? 1 : 1.5,
    spanGaps: false,
    points:
      drawn === 'line' || drawn === 'step'
        ? { size: 4, filter: (chart, place, all) => (all ? null : lonePlaces(Array.from(chart.data[place] ?? []))) }
        : { show: false },
    show: line.hidden !== true,
    ...(dashed === true ? { dash } : (line.color ?? place) >= dashedFrom && { dash: longDash }),
    ...(paths && { paths }),
  }
}

/** The zoom exponent per unit of the wheel's `deltaY`. */
const wheelFactor = 0.004
/** Wheel events within this time of each other are one zoom. */
const wheelMs = 150

/** A wheel zoom in progress; survives a redraw of the chart. */
interface Turning {
  current: { readonly span: Span; readonly timer: ReturnType<typeof setTimeout> } | null
}

/** A double click zooms out. The wheel with Ctrl, which is also a touchpad pinch, zooms around the pointer. */
function listenForZoom({ over, posToVal }: uPlot, latest: { readonly current: ChartProps }, turning: Turning): void {
  const shown = (): Span => ({ fromMs: (latest.current.from ?? 0) * 1000, toMs: (latest.current.to ?? 0) * 1000 })
  const show = ({ fromMs, toMs }: Span): void => latest.current.onZoom?.(fromMs, toMs)
  const onDouble = (): void => show(zoomed(shown(), 2))
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    clearTimeout(turning.current?.timer)
    const atMs = posToVal(event.offsetX, 'x') * 1000
    const span = zoomed(turning.current?.span ?? shown(), Math.exp(event.deltaY * wheelFactor), atMs)
    const timer = setTimeout(() => {
      turning.current = null
      show(span)
    }, wheelMs)
    turning.current = { span, timer }
  }
  listenForPinch(over, (x) => posToVal(x, 'x') * 1000, shown, show)
  over.addEventListener('dblclick', onDouble)
  over.addEventListener('wheel', onWheel, { passive: false })
}

/** Fingers closer than this do not zoom. */
const pinchPixelsMin = 20

/** Two fingers zoom, and the touched times stay under them. One finger scrolls the page. */
function listenForPinch(
  over: HTMLElement,
  msAt: (x: number) => number,
  shown: () => Span,
  show: (span: Span) => void,
): void {
  let touched: readonly [number, number] | null = null
  let moved: readonly [number, number] | null = null
  const placesOf = ({ touches }: TouchEvent): readonly [number, number] => {
    const { left } = over.getBoundingClientRect()
    const [a = 0, b = 0] = Array.from(touches, ({ clientX }) => clientX - left).sort((one, other) => one - other)
    return [a, b]
  }
  over.addEventListener(
    'touchstart',
    (event) => {
      touched = event.touches.length === 2 ? placesOf(event) : null
      moved = touched
      if (touched !== null) event.preventDefault()
    },
    { passive: false },
  )
  over.addEventListener(
    'touchmove',
    (event) => {
      if (touched === null || event.touches.length !== 2) return
      event.preventDefault()
      moved = placesOf(event)
    },
    { passive: false },
  )
  over.addEventListener('touchend', () => {
    if (touched === null || moved === null) return
    const span = pinched(shown(), [msAt(touched[0]), msAt(touched[1])], [msAt(moved[0]), msAt(moved[1])])
    const isZoom = Math.min(touched[1] - touched[0], moved[1] - moved[0]) >= pinchPixelsMin
    touched = null
    if (isZoom && span !== null) show(span)
  })
}

/** Lines over time. Dragging selects a time range if the page supports it. */
export function Chart(props: ChartProps) {
  const { title, lines, data, height, from, to, zone, bands, values, axes = oneAxis } = props
  const container = useRef<HTMLDivElement>(null)
  const made = useRef<uPlot | null>(null)
  const theme = useStore(shownTheme)
  const [plot, setPlot] = useState<typeof uPlot | null>(null)
  const latest = useRef(props)
  latest.current = props
  const turning = useRef<Turning['current']>(null)
  useEffect(() => () => clearTimeout(turning.current?.timer), [])
  useEffect(() => void loadPlot().then(([module]) => setPlot(() => module.default)), [])
  // A page creates its lines anew with each move of the pointer.
  const drawnLines = JSON.stringify(lines)
  const drawnAxes = JSON.stringify(axes)
  const units = useMemo(() => unitsOf(axes, lines, data), [drawnAxes, drawnLines, data])
  const drawn = useRef(data)
  const isLog = axes.some(({ scale }) => scale?.isLog === true)
  drawn.current = useMemo(() => {
    const marked = inUnits(lines, data, units)
    return isLog ? aboveZero(axes, lines, marked) : marked
  }, [data, units, isLog])
  const shape = JSON.stringify([drawnLines, height, from, to, zone, bands, values, drawnAxes, units])
  useEffect(() => {
    const element = container.current
    if (plot === null || element === null) return
    const width = Math.max(120, element.clientWidth)
    const zoom = latest.current.onZoom
    const options = optionsOf(
      plot,
      {
        ...latest.current,
        paint: (canvas) => latest.current.paint?.(canvas),
        get marks() {
          return latest.current.marks ?? []
        },
        ...(zoom && { onZoom: (a: number, b: number) => latest.current.onZoom?.(a, b) }),
        onCursor: (index) => latest.current.onCursor?.(index),
      },
      width,
      theme,
      units,
    )
    const chart = new plot(options, drawn.current, element)
    made.current = chart
    latest.current.onAxes?.(markedAxes(latest.current, width))
    const watcher = new ResizeObserver(() => {
      const now = Math.max(120, element.clientWidth)
      if (now !== chart.width) chart.setSize({ width: now, height })
    })
    watcher.observe(element)
    if (zoom) listenForZoom(chart, latest, turning)
    chart.over.addEventListener('click', ({ detail, offsetX }) => {
      if (detail < 2) latest.current.onPick?.(chart.posToVal(offsetX, 'x'))
    })
    return () => {
      watcher.disconnect()
      chart.destroy()
      made.current = null
    }
  }, [plot, theme, shape])
  useEffect(() => {
    if (made.current !== null && made.current.data !== drawn.current) made.current.setData(drawn.current)
  }, [data])
  useEffect(() => made.current?.redraw(false, false), [JSON.stringify(props.marks)])
  const { focus = null } = props
  useEffect(() => {
    made.current?.setSeries(focus === null ? null : focus + 1, { focus: true })
  }, [focus])
  return <div ref={container} class="chart" role="img" aria-label={title} style={{ minHeight: `${height}px` }} />
}
