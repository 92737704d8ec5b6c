// The queries of the query benchmarks as hand-written SQL for Druid.

interface Asked {
  readonly ids?: readonly string[]
  readonly prefixes?: readonly string[]
  readonly start_date?: string
  readonly end_date?: string
  readonly date?: string
  readonly offset?: number
  readonly fields?: readonly string[]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const instant = (text: string): string => `TIME_PARSE(${quoted(text)})`

export function handSql(dataSource: string, path: string, body: object): string {
  const asked: Asked = body
  const { date, offset = 0, fields = [] } = asked
  const from = `FROM "${dataSource}"`
  const where = conditions(asked)
  const hour = "TIME_FLOOR(__time, 'PT1H')"
  switch (path.split('/').at(-1)) {
    case 'average':
      return `SELECT ${hour}, T, AVG(V) ${from} ${where} GROUP BY 1, 2 ORDER BY 1, 2`
    case 'average-granularity':
    case 'average-dimensions': {
      const keys = [hour, ...fields].join(', ')
      const numbers = [hour, ...fields].map((_, index) => index + 1).join(', ')
      return `SELECT ${keys}, AVG(V) ${from} ${where} GROUP BY ${numbers} ORDER BY ${numbers}`
    }
    case 'latest':
      return `SELECT T, MAX(__time), LATEST(V), LATEST(W) ${from} ${where} GROUP BY 1`
    case 'last':
      return `SELECT __time, T, V, W ${from} ${where} AND __time < ${instant(date!)} ORDER BY __time DESC LIMIT 1 OFFSET ${offset}`
    case 'next':
      return `SELECT __time, T, V, W ${from} ${where} AND __time > ${instant(date!)} ORDER BY __time LIMIT 1`
    case 'snap':
      return `SELECT TIME_FLOOR(__time, 'PT15M'), T, LATEST(V), LATEST(W) ${from} ${where} GROUP BY 1, 2 ORDER BY 1, 2`
    default:
      return `SELECT __time, T, V, W ${from} ${where} ORDER BY __time`
  }
}

function conditions({ ids, prefixes, start_date, end_date }: Asked): string {
  const all = [
    ...(ids === undefined ? [] : [`T IN (${ids.map(quoted).join(', ')})`]),
    ...(prefixes === undefined ? [] : [`(${prefixes.map((prefix) => `T LIKE ${quoted(`${prefix}%`)}`).join(' OR ')})`]),
    ...(start_date === undefined ? [] : [`__time >= ${instant(start_date)}`]),
    ...(end_date === undefined ? [] : [`__time <= ${instant(end_date)}`]),
  ]
  return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`
}
