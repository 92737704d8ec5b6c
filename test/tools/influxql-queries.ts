// Random statements in the supported part of InfluxQL, over the points of `influxql-points.ts`.
import type { Random } from '../support/random.ts'
import { fromMs, type Reading, untilMs } from './influxql-points.ts'

const fields = ['v', 'n', 'm']
const zones = ['Europe/Madrid', 'America/New_York', 'Asia/Kolkata']
const intervals = ['1m', '2m', '5m', '7m', '1h', '2h', '4h', '6h', '12h', '1d', '2d', '1w', '90m']

export function randomStatement(random: Random): string {
  const one = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!
  const chance = (percent: number): boolean => random.below(100) < percent
  const measurement = one(['cpu', 'cpu', 'disk', '"a, b=c \'d"'])
  const isAggregate = chance(65)
  const hasWindow = isAggregate && chance(70)
  // For changes between windows, InfluxDB reads one window before the start, so no points are there.
  const hasChanges = hasWindow && chance(30)
  const ofPoints = isAggregate && chance(10)
  const call = (): string => {
    const field = one(fields)
    const name = one(['mean', 'sum', 'count', 'min', 'max', 'first', 'last', 'spread'])
    const inner = `${name}(${field})`
    if (hasChanges && name !== 'count' && chance(60)) {
      const outer = one([
        'derivative',
        'non_negative_derivative',
        'difference',
        'non_negative_difference',
        'cumulative_sum',
        'moving_average',
      ])
      const parameter = outer.endsWith('derivative') ? one(['', ', 1m']) : outer === 'moving_average' ? ', 3' : ''
      return `${outer}(${inner}${parameter})`
    }
    return chance(15) ? `${inner} ${one(['+', '-', '*', '/'])} ${one(['2', '0.5', `max(${one(fields)})`])}` : inner
  }
  const rawColumn = (): string => one(['v', 'n', 'm', 's', 'ok', 'host', 'v * 2', 'n + v', 'nosuch'])
  const rawTransform = (): string =>
    one([
      'derivative(v, 1m)',
      'derivative(n)',
      'non_negative_derivative(n, 1h)',
      'difference(n)',
      'elapsed(v, 1s)',
      'cumulative_sum(n)',
      'moving_average(v, 4)',
    ])
  const columns = (): string => {
    if (ofPoints) return one(['integral(v)', 'integral(v, 1m)', 'median(v)', 'median(n)'])
    if (isAggregate)
      return chance(10)
        ? `${one(['mean', 'count', 'last'])}(*)`
        : Array.from({ length: 1 + random.below(3) }, call).join(', ')
    if (chance(20)) return '*'
    if (chance(20)) return rawTransform()
    return ['v', ...Array.from({ length: random.below(3) }, rawColumn)].join(', ')
  }
  const instant = (): number => fromMs + random.below(untilMs - fromMs)
  const time = (ms: number): string =>
    one([
      `${ms}ms`,
      `'${new Date(ms).toISOString()}'`,
      `${ms}000000`,
      `'${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}'`,
    ])
  const [from, until] = hasChanges
    ? [fromMs - 9 * 86_400_000, untilMs + 9 * 86_400_000]
    : ([instant(), instant()].sort((a, b) => a - b) as [number, number])
  const conditions: string[] = []
  const span = hasWindow && !hasChanges && chance(80) ? Math.min(until, from + 40 * 3_600_000) : until
  const hasStart = hasChanges || chance(85)
  if (hasStart) conditions.push(`time >= ${time(from)}`)
  if (hasWindow || chance(85)) conditions.push(`time ${one(['<', '<='])} ${time(Math.max(span, from + 1000))}`)
  const tagCondition = (): string =>
    one([
      `host = '${one(['a', 'b', 'c', 'zz'])}'`,
      `host != 'a'`,
      `host =~ /^(a|c)$/`,
      `host !~ /^b/`,
      `host =~ /[ab]/`,
      `region = ''`,
      `region != ''`,
      `region =~ /we.t/`,
      `(host = 'a' OR host = 'c')`,
      `nosuch = ''`,
    ])
  const fieldCondition = (): string =>
    one([
      `v > ${random.below(60)}`,
      `n <= ${random.below(60)}`,
      `ok = true`,
      `s = 'on'`,
      `v != 3`,
      `20 < v`,
      `(v < 20 OR host = 'b')`,
    ])
  if (chance(40)) conditions.push(tagCondition())
  if (chance(25)) conditions.push(fieldCondition())
  const groups = [
    ...(hasWindow
      ? [
          `time(${one(hasChanges ? ['1h', '6h', '1d'] : intervals)}${hasStart && chance(20) ? `, ${one(['10s', '2m', '-1h'])}` : ''})`,
        ]
      : []),
    ...(chance(40) ? [one(['host', 'region', 'host, region', '*', '/h/'])] : []),
  ]
  const selected = columns()
  // In InfluxDB, LIMIT counts the points of each function separately.
  const isOne = !isAggregate || /^[^,*/+-]*(?:\([^,]*, \w+\))?$/.test(selected)
  const hasIntegral = selected.startsWith('integral')
  const limit =
    isOne && !hasIntegral && chance(25)
      ? `LIMIT ${1 + random.below(8)}${chance(40) ? ` OFFSET ${random.below(4)}` : ''}`
      : ''
  const parts = [
    `SELECT ${selected} FROM ${measurement}`,
    conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`,
    hasWindow && chance(70)
      ? `fill(${one(['null', 'none', 'linear', ...(hasChanges ? [] : ['previous', '0', '-7.5'])])})`
      : '',
    !hasIntegral && chance(25) ? `ORDER BY time ${one(['ASC', 'DESC', 'DESC'])}` : '',
    limit,
    // With these intervals and offsets, InfluxDB shifts empty windows after a change of the clocks.
    hasWindow && !/^time\((?:7m|90m|[24]h,)/.test(groups[0]!) && chance(20) ? `tz('${one(zones)}')` : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

const grafanaIntervals = ['10s', '1m', '2m', '5m', '10m', '30m', '1h', '2h', '6h', '12h', '1d', '7d']
const intervalsMs = [1, 6, 12, 30, 60, 180, 360, 720, 2160, 4320, 8640, 60_480].map((tens) => 10_000 * tens)
const dayMs = 86_400_000

/** A statement as Grafana's query builder writes it, over readings in the field V of a measurement with the tag T. */
export function grafanaStatement(random: Random, measurement: string, readings: readonly Reading[]): string {
  const one = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!
  const chance = (percent: number): boolean => random.below(100) < percent
  const pattern = (tag: string): string => tag.replace(/[.-]/g, '\\$&')
  const [some, other] = [one(readings), one(readings)]
  const isOne = chance(40)
  const condition = isOne
    ? one([`"T"::tag = '${some.T}'`, `"T" =~ /^${pattern(some.T)}$/`])
    : one([
        '',
        `("T"::tag = '${some.T}' OR "T"::tag = '${other.T}')`,
        `"T"::tag =~ /^(${pattern(some.T)}|${pattern(other.T)})$/`,
        `"T"::tag != '${some.T}'`,
        `("T"::tag != '${some.T}' AND "V"::field > ${other.V})`,
      ])
  const kind = one(['raw', 'aggregate', 'windows', 'windows', 'windows', 'changes'])
  const isGrouped = kind !== 'raw' && chance(50)
  // Of points with equal times InfluxDB chooses the larger, so `first` and `last` are used only on single series.
  const names = [
    ...['mean', 'sum', 'min', 'max', 'spread', ...(isOne || isGrouped ? ['first', 'last'] : [])],
    ...(kind === 'changes' ? [] : ['count']),
  ]
  const aggregate = (): string => `${one(names)}("V")`
  const math = (): string => (chance(30) ? one([' / 100', ' * 8', ' + 0.5']) : '')
  const alias = (): string => (chance(30) ? ` AS "${one(['a b', 'peak', 'V'])}"` : '')
  const select = (): string => {
    if (kind === 'raw' || (kind === 'aggregate' && isOne && chance(30)))
      return one([
        '"V"',
        '"V"::field, "T"::tag',
        'difference("V")',
        'non_negative_derivative("V", 1m)',
        'elapsed("V", 1s)',
      ])
    if (kind === 'changes')
      return one([
        `non_negative_derivative(${aggregate()}, 10s)`,
        `derivative(${aggregate()}, 1s)`,
        `difference(${aggregate()})`,
        `moving_average(${aggregate()}, 5)`,
        `cumulative_sum(${aggregate()})`,
      ])
    if (chance(15))
      return one(
        kind === 'windows'
          ? ['median("V")']
          : ['median("V")', 'stddev("V")', ...(isOne || isGrouped ? ['integral("V")'] : [])],
      )
    return Array.from({ length: chance(75) ? 1 : 2 }, () => `${aggregate()}${math()}${alias()}`).join(', ')
  }
  const selected = select()
  const reach = kind === 'raw' ? 3_600_000 * 6 : one([3_600_000, dayMs, 20 * dayMs])
  // For changes, InfluxDB reads windows before the start or after the end, so no points are there.
  const times = readings.map(({ D }) => D)
  const least = times.reduce((a, b) => Math.min(a, b))
  const most = times.reduce((a, b) => Math.max(a, b))
  const [from, until] =
    kind === 'changes'
      ? [least - 60 * dayMs, most + 60 * dayMs]
      : [some.D - random.below(reach), some.D + random.below(reach)]
  const interval = grafanaIntervals[intervalsMs.findIndex((ms) => (until - from) / ms < 300)] ?? '7d'
  const hasWindow = kind === 'windows' || kind === 'changes'
  const groups = [...(hasWindow ? [`time(${interval})`] : []), ...(isGrouped ? ['"T"::tag'] : [])]
  const fill = one(['null', 'none', 'linear', ...(kind === 'changes' ? [] : ['previous', '0'])])
  const isPlain = !/,|integral/.test(selected)
  return [
    `SELECT ${selected} FROM "${measurement}" WHERE ${kind === 'raw' && !isOne ? `"T"::tag = '${some.T}' AND ` : condition === '' ? '' : `${condition} AND `}time >= ${from}ms and time <= ${until}ms`,
    groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')}`,
    hasWindow && chance(80) ? `fill(${fill})` : '',
    isPlain && chance(30) ? `ORDER BY time ${one(['ASC', 'DESC'])}` : '',
    isPlain && chance(20) ? `limit ${1 + random.below(50)}` : '',
    hasWindow && chance(20) ? `tz('${one(['Europe/Madrid', 'America/New_York'])}')` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
