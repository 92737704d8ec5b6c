import type { OwnIngestAnswer } from '../client/answers.ts'
import { shellWord } from '../lib/shell-word.ts'
import { isName } from '../model/field.ts'
import type { MappingOptions, ValueFields } from './message-rows.ts'

/** Names that the options define for rows of plain messages. */
export interface GivenNames {
  readonly template: MappingOptions['template']
  /** Only those set by an option: JSON objects need no others. */
  readonly valueFields: { readonly [Kind in keyof ValueFields]?: string | undefined }
}

interface RejectedName {
  readonly name: string
  readonly option: string
  readonly type: 'string' | 'double' | 'boolean'
}

type Taker = Pick<OwnIngestAnswer, 'alias' | 'kind' | 'fields' | 'unknown'>

function givenNames({ template, valueFields: { number, text, truth } }: GivenNames): RejectedName[] {
  const values = [
    { name: number, option: '--value-field', type: 'double' },
    { name: text, option: '--text-field', type: 'string' },
    { name: truth, option: '--truth-field', type: 'boolean' },
  ] as const
  const ofValues = values.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ name, ...rest }]))
  const ofTopics = (template?.names ?? []).map((name) => ({ name, option: '--topic', type: 'string' }) as const)
  return [...ofTopics, ...ofValues]
}

function fieldWord({ name, option, type }: RejectedName, { kind, fields }: Taker): string {
  const seriesRole = option === '--topic' ? 'dimension' : 'metric'
  const role = kind === 'metadata' ? 'attribute' : seriesRole
  const isFree = isName(name) && !fields.some((field) => field.name === name)
  return isFree ? `${name}:${type}:${role}` : `NAME:${type}:${role}:${name}`
}

/** A note on names in the options for which the ingest has no field, so that it rejects rows with them. Null if it accepts all. */
export function rejectedNamesNote(ingest: Taker, given: GivenNames): string | null {
  const sources = new Set(ingest.fields.map(({ source }) => source))
  const strange = givenNames(given).filter(({ name }) => !sources.has(name))
  if (ingest.unknown === 'add' || strange.length === 0) return null
  const byName = strange.filter(({ name }, at) => strange.findIndex((one) => one.name === name) === at)
  const it = byName.length === 1 ? 'it' : 'them'
  const fields = shellWord(byName.map((one) => fieldWord(one, ingest)).join())
  const options = [...new Set(strange.map(({ option }) => option))].join(' and ')
  return (
    `${ingest.alias} has no field for ${byName.map(({ name }) => name).join(', ')}: it rejects rows that have ${it}. ` +
    `Add ${it} with an admin key: tidemark ingests add-fields ${shellWord(ingest.alias)} --field ${fields} (or give another ${options}).`
  )
}

/** The properties of metrics' rows that an ingest with these sources rejects. */
export function rejectedProperties(
  sources: readonly string[],
  { metricTemplate, valueFields }: Pick<MappingOptions, 'metricTemplate' | 'valueFields'>,
): string[] {
  const given = new Set([...metricTemplate.names, ...Object.values(valueFields)])
  return [...given].filter((name) => !sources.includes(name))
}
