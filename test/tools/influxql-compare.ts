// Compares two InfluxQL answers.
interface Series {
  readonly tags?: object
  readonly values: readonly unknown[]
}

export interface InfluxAnswer {
  readonly error?: string
  readonly results?: readonly { readonly series?: readonly Series[] }[]
}

/** The first difference; null where the answers are equal except for the last digits of doubles. */
export function differenceOf(statement: string, theirs: InfluxAnswer, ours: InfluxAnswer): string | null {
  const [one, other] = /integral/.test(statement) ? [gathered(theirs), gathered(ours)] : [theirs, ours]
  return firstDifference(one, other, 'answer')
}

/** Merges series of integrals: InfluxDB returns them in no order, and the last window of each separately at the end. */
function gathered({ results = [], ...rest }: InfluxAnswer): InfluxAnswer {
  return { ...rest, results: results.map(({ series = [], ...result }) => ({ ...result, series: merged(series) })) }
}

function merged(series: readonly Series[]): readonly Series[] {
  const byTags = new Map<string, Series>()
  for (const one of series) {
    const key = JSON.stringify(one.tags ?? {})
    byTags.set(key, { ...one, values: [...(byTags.get(key)?.values ?? []), ...one.values] })
  }
  return [...byTags].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one)
}

function firstDifference(one: unknown, other: unknown, path: string): string | null {
  if (isNear(one, other)) return null
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return `${path}: ${text(one)} there, ${text(other)} here`
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  for (const key of keys) {
    const difference = firstDifference(Reflect.get(one, key), Reflect.get(other, key), `${path}.${key}`)
    if (difference !== null) return difference
  }
  return null
}

function isNear(one: unknown, other: unknown): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other
  return one === other || Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
}

function text(value: unknown): string {
  const whole = JSON.stringify(value) ?? 'nothing'
  return whole.length > 300 ? `${whole.slice(0, 300)}...` : whole
}
