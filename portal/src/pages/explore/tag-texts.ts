// Metadata texts of tags, for searching and describing them.
import type { EntityDescription, MetadataDescription, MetadataItem } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { isNumericField } from '../../../../src/model/field.ts'

export interface TagText {
  readonly description: string
  readonly unit: string
  /** All texts of its metadata items. */
  readonly texts: readonly string[]
}

/** The limit of one response. */
export const tagsMax = 10_000
const tablesMax = 5

/** Texts by tag, from the items whose identifier is the tag. Skips larger tables. */
export async function tagTexts(client: TidemarkClient): Promise<ReadonlyMap<string, TagText>> {
  const isText = ({ fields, index_field, items }: MetadataDescription): boolean =>
    items <= tagsMax && fields.some(({ name, type }) => name === index_field && type === 'string')
  const tables = (await client.metadata()).filter(isText).slice(0, tablesMax)
  const found = new Map<string, TagText>()
  for (const table of tables) {
    const { Items } = await client.items(table.entity, [], { limit: tagsMax })
    for (const item of Items) {
      const tag = String(item[table.index_field])
      const text = textOf(table, item)
      const before = found.get(tag)
      found.set(tag, {
        description: before?.description || text.description,
        unit: before?.unit || text.unit,
        texts: [...(before?.texts ?? []), ...text.texts],
      })
    }
  }
  return found
}

/** The unit of a tag's numbers; its booleans and texts have none. */
export function unitOf(
  text: TagText | undefined,
  metric: string,
  { fields }: Pick<EntityDescription, 'fields'>,
): string {
  return fields.some((field) => field.name === metric && isNumericField(field)) ? (text?.unit ?? '') : ''
}

const described = /desc|name|label|title|text/i
const measured = /unit|uom/i

function textOf({ fields }: MetadataDescription, item: MetadataItem): TagText {
  const attributes = fields.filter(({ name, role }) => role === 'attribute' && typeof item[name] === 'string')
  const of = (form: RegExp): string => {
    const field = attributes.find(({ name }) => form.test(name))
    return field === undefined ? '' : String(item[field.name])
  }
  return { description: of(described), unit: of(measured), texts: attributes.map(({ name }) => String(item[name])) }
}

/** The tags that contain every word, in the tag or its texts, ignoring case. Tags that begin with the typed text come first. */
export function tagsFound(
  tags: readonly string[],
  texts: ReadonlyMap<string, TagText>,
  typed: string,
): readonly string[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return tags
  const start = typed.trim().toLowerCase()
  const found = tags.filter((tag) => {
    const all = [tag, ...(texts.get(tag)?.texts ?? [])].join('\n').toLowerCase()
    return words.every((word) => all.includes(word))
  })
  const isFirst = (tag: string): boolean => tag.toLowerCase().startsWith(start)
  return [...found.filter(isFirst), ...found.filter((tag) => !isFirst(tag))]
}
