// The newest value of each tag and, for a table, its least, mean and greatest value in the range.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { isNumericField } from '../../../../src/model/field.ts'
import { type Row, type RowTable, readRows } from '../../parts/rows-stream.ts'
import type { Span } from '../../parts/span.ts'
import { wholeHours } from '../explore/kept-hours.ts'
import { keyOf, nameOfTags } from '../explore/lines.ts'
import { type TagText, tagTexts, unitOf } from '../explore/tag-texts.ts'
import { tagsShown, type View } from '../explore/view.ts'

export interface Reading {
  readonly name: string
  readonly field: string
  readonly description: string
  readonly unit: string
  readonly value: unknown
  /** Null if there is no item. */
  readonly ms: number | null
  /** Least, mean and greatest are those of the range; null if it has no number. */
  readonly least: number | null
  readonly mean: number | null
  readonly greatest: number | null
}

interface Asked {
  readonly view: View
  readonly entity: EntityDescription
  readonly span: Span
  /** Whether to query least, mean and greatest. */
  readonly isRange: boolean
}

const noTexts: ReadonlyMap<string, TagText> = new Map()
const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

export async function readings(client: TidemarkClient, { view, entity, span, isRange }: Asked): Promise<Reading[]> {
  const { by, tags: ids, fields } = view
  const iso = (ms: number): string => new Date(ms).toISOString()
  const one = { entity: entity.entity, ids, ...(by === '' ? {} : { id_name_field: by }) }
  const isNumber = (name: string): boolean =>
    entity.fields.some((field) => field.name === name && isNumericField(field))
  const numbers = fields.filter(isNumber)
  const ask = (kind: 'last' | 'aggregate', request: object): Promise<RowTable> =>
    readRows(client.queryBytes(kind, { ...one, ...request }, 'ndjson'), () => undefined)
  const { fromMs, toMs } = wholeHours(span, entity)
  const range = { start_date: iso(fromMs), end_date: iso(toMs) }
  const aggregated = { ...range, granularity: 'all', aggregates: ['mean', 'min', 'max'], metric_name_field: numbers }
  const [newest, whole, texts] = await Promise.all([
    ask('last', { metric_name_field: fields, date: iso(span.toMs) }),
    isRange && numbers.length > 0 ? ask('aggregate', aggregated) : null,
    tagTexts(client).catch(() => noTexts),
  ])
  const tags = tagsShown(view, entity)
  const newestRows = byTags(newest, tags)
  const wholeRows = whole === null ? new Map<string, Row>() : byTags(whole, tags)
  const valueIn = ({ columns }: RowTable, row: Row | undefined, name: string): unknown => row?.[columns.indexOf(name)]
  const reading = (id: string, key: string | null): Reading[] => {
    const row = key === null ? undefined : newestRows.get(key)
    const text = texts.get(id)
    return fields.map((field): Reading => {
      const of = (what: string): number | null =>
        whole === null || key === null ? null : numberOrNull(valueIn(whole, wholeRows.get(key), `${field}.${what}`))
      return {
        ...{ name: row === undefined ? id : nameOfTags(tags.map((tag) => valueIn(newest, row, tag))), field },
        ...{
          description: text?.description ?? '',
          unit: unitOf(text, field, entity),
          value: valueIn(newest, row, field) ?? null,
        },
        ms: row === undefined ? null : Date.parse(String(valueIn(newest, row, entity.time_field))),
        ...{ least: of('min'), mean: of('mean'), greatest: of('max') },
      }
    })
  }
  const known = [...newestRows].map(([key, row]) => ({ key, id: String(valueIn(newest, row, tags[0]!)) }))
  return inTagOrder(ids, known).flatMap(({ id, key }) => reading(id, key))
}

interface OfTag {
  readonly id: string
  /** Null if there is no item. */
  readonly key: string | null
}

/** Orders by tag and not by time, so that each tag keeps its position. Empty if no tag has an item. */
export function inTagOrder(ids: readonly string[], known: readonly OfTag[]): readonly OfTag[] {
  if (known.length === 0) return []
  return ids.flatMap((id) => {
    const ofTag = known.filter((one) => one.id === id)
    return ofTag.length === 0 ? [{ id, key: null }] : ofTag
  })
}

function byTags(table: RowTable, tags: readonly string[]): Map<string, Row> {
  const tagsAt = tags.map((tag) => table.columns.indexOf(tag))
  return new Map(table.rows.map((row) => [keyOf(row, tagsAt), row]))
}
