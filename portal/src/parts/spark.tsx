// Small charts of a day without axes, which show only the trend.
const width = 100
const height = 30

interface LineProps {
  readonly title: string
  readonly fromMs: number
  readonly toMs: number
  readonly points: readonly (readonly [ms: number, value: number])[]
  /** Points further apart than this are not connected. */
  readonly gapMs: number
}

/** The segments of a line, in the coordinates of the picture. */
export function sparkPieces({ fromMs, toMs, points, gapMs }: Omit<LineProps, 'title'>): string[] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const [, value] of points) [least, greatest] = [Math.min(least, value), Math.max(greatest, value)]
  const scale = greatest > least ? (height - 2) / (greatest - least) : 0
  const pieces: string[][] = []
  for (const [place, [ms, value]] of points.entries()) {
    const before = points[place - 1]
    if (before === undefined || ms - before[0] > gapMs) pieces.push([])
    const x = ((ms - fromMs) / (toMs - fromMs)) * width
    const y = scale === 0 ? height / 2 : height - 1 - (value - least) * scale
    pieces.at(-1)!.push(`${x.toFixed(2)},${y.toFixed(2)}`)
  }
  // A segment needs two points; a single point appears as a dot as wide as the line.
  return pieces.map((piece) => (piece.length === 1 ? `${piece[0]} ${piece[0]}` : piece.join(' ')))
}

export function SparkLine({ title, ...drawn }: LineProps) {
  return (
    <svg class="spark" role="img" aria-label={title} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      {sparkPieces(drawn).map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  )
}

interface BarsProps {
  readonly title: string
  readonly values: readonly number[]
}

export function SparkBars({ title, values }: BarsProps) {
  const most = Math.max(1, ...values)
  const step = width / values.length
  return (
    <svg class="spark bars" role="img" aria-label={title} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      {values.map((value, place) => {
        const size = value === 0 ? 0.6 : Math.max(1.5, (value / most) * height)
        return <rect key={place} x={place * step} y={height - size} width={step * 0.8} height={size} />
      })}
    </svg>
  )
}
