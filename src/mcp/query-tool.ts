// One tool for all kinds of data queries. Its arguments are those of the kinds, from the schemas that check their requests.
import { addTo } from '../lib/add-to.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { queryKinds } from '../model/query-kind.ts'
import { type PropertySchema, queryRequests, withoutNull } from '../query/requests.ts'

/** When to use each kind. */
const meanings: Record<QueryKind, string> = {
  latest: 'the newest item of each tag: its current value; tags that have been silent for longest come first',
  last: 'the item of each tag before a date: its value then',
  next: 'the item of each tag after a date: when the next one came',
  average:
    'the mean of each tag in each bucket (granularity): trends, comparisons, and the first choice for a long range',
  aggregate:
    'the aggregates given by aggregates, for each tag and bucket: min, max and their times, sum, count, first, last, stddev, the mean weighted by time, how much of the time is known, integrals (energy from power), rises of counters',
  states: 'how long each value held and how often it was entered: running hours, alarms, modes',
  snap: 'the state of each tag at each tick, as a table of equal steps',
  plot: 'few items that keep the shape of a long range, with its peaks: for a chart',
  select: 'each item in a range: for a short range only',
  'average-dimensions': 'like average, also for each combination of dimensions (fields)',
  'average-granularity': 'like average, of all chosen tags together',
}

export const kindsText = Object.entries(meanings)
  .map(([kind, meaning]) => `- ${kind}: ${meaning}`)
  .join('\n')

/** Replaces addresses in the service's messages by tools, since an assistant has no addresses. */
export const inTools = (text: string): string =>
  text
    .replace('`GET /consumer/data/entities` lists them', '`list_entities` names them')
    .replace(/GET \/consumer\/metadata\/(\S+) lists/, 'find_metadata with the table $1 lists')

/** Some makers of assistants accept neither null in an enum nor `exclusiveMinimum`. */
function withoutNulls(property: PropertySchema): PropertySchema {
  const schema = withoutNull(property)
  const { exclusiveMinimum: _, ...known } =
    schema.enum === undefined ? schema : { ...schema, enum: schema.enum.filter((word) => word !== null) }
  return known
}

/** The schema of a property, with its description for each kind that has it; kinds with the same description are grouped. */
function described(name: string): PropertySchema {
  const takers = queryKinds.flatMap((kind) => {
    const schema: PropertySchema | undefined = Reflect.get(queryRequests[kind].properties, name)
    return schema === undefined ? [] : [{ kind, schema: withoutNulls(schema) }]
  })
  const texts = new Map<string, QueryKind[]>()
  for (const { kind, schema } of takers) {
    const text = schema.description ?? ''
    addTo(texts, text, kind)
  }
  const isOfAll = takers.length === queryKinds.length && texts.size === 1
  const description = [...texts].map(([text, kinds]) => (isOfAll ? text : `For ${kinds.join(', ')}: ${text}`)).join(' ')
  return { ...takers[0]!.schema, description: inTools(description) }
}

const names = new Set(queryKinds.flatMap((kind) => Object.keys(queryRequests[kind].properties)))

/** The properties of all kinds together. */
export const queryProperties: Readonly<Record<string, PropertySchema>> = Object.fromEntries(
  [...names].map((name) => [name, described(name)]),
)
