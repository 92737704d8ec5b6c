// A saved view, and its evaluation with values for its variables.
import type { ViewDefinition } from '../../../../src/client/answers.ts'
import { partNamesMax } from '../../../../src/model/saved-view.ts'
import { isZone } from '../../parts/zoned-time.ts'
import { limitOf, saysRange, type View, viewOf } from '../explore/view.ts'

export type Cell = ViewDefinition['cells'][number]
export type Variable = NonNullable<ViewDefinition['variables']>[number]

/** The chosen value of each variable, by name. */
export type Values = ReadonlyMap<string, string>

/** The prefix of variable names in the address. */
export const variableMark = 'var-'

export const valuesOf = (variables: readonly Variable[], query: URLSearchParams): Values =>
  new Map(variables.map(({ name, value }) => [name, query.get(`${variableMark}${name}`) ?? value]))

/** Replaces each `$name` of a variable with its value; unknown names stay. */
export const filled = (text: string, values: Values): string =>
  text.replace(/\$([A-Za-z]\w*)/g, (whole, name: string) => values.get(name) ?? whole)

/** A character that no tag contains. */
const gap = '\0'

/** The possible values of a variable that is a part of tags, such as `boiler` in `$boiler.temp`; null if it is not. */
export function partsOf(
  name: string,
  written: readonly string[],
  tags: readonly string[],
  values: Values,
): readonly string[] | null {
  const forms = written.map((text) => filled(text, new Map([...values, [name, gap]])))
  const found = forms.flatMap((form) => {
    const [before = '', after, ...more] = form.split(gap)
    if (after === undefined || more.length > 0 || form === gap) return []
    const isOne = (tag: string): boolean =>
      tag.startsWith(before) && tag.endsWith(after) && tag.length > before.length + after.length
    return [tags.filter(isOne).map((tag) => tag.slice(before.length, tag.length - after.length))]
  })
  return found.length === 0 ? null : [...new Set(found.flat())]
}

/** The range and zone of the address, else the saved ones. A zone unknown to this browser is ignored. */
export function frameOf({ range = '', from = '', to = '', zone = '' }: ViewDefinition, query: URLSearchParams): View {
  const asked = viewOf(query)
  const saved = range === '' && from === '' ? { range: 'P1D' } : { range, from, to }
  const savedZone = isZone(zone) ? zone : ''
  return { ...asked, ...(saysRange(asked) ? {} : saved), zone: asked.zone === '' ? savedZone : asked.zone }
}

/** A cell as a view of Explore. */
export function cellView(cell: Cell, frame: View, values: Values): View {
  const { kind, entity = '', by = '', tags = [], fields = [], how = 'auto', granularity = '', right = [] } = cell
  const { shift = '', log = false, least = null, greatest = null } = cell
  const fill = (text: string): string => filled(text, values)
  return {
    ...frame,
    ...{ entity: fill(entity), by, tags: [...new Set(tags.map(fill))], fields, granularity, right: right.map(fill) },
    ...{ shift, log, least: least === null ? '' : String(least), greatest: greatest === null ? '' : String(greatest) },
    how: kind === 'state' ? 'states' : how,
    live: false,
  }
}

/** A view of Explore as a cell, for saving. */
export function cellOf(view: View): Cell {
  const { entity, by, tags, fields, how, granularity, right, shift, log } = view
  const what = { entity, tags, fields, ...(by === '' ? {} : { by }) }
  if (how === 'states') return { kind: 'state', ...what }
  if (how === 'latest') return { kind: 'table', ...what }
  const steps = granularity === '' ? {} : { granularity }
  const [least, greatest] = [limitOf(view.least), limitOf(view.greatest)]
  return {
    ...{ kind: 'chart', ...what, how, ...steps, ...(right.length === 0 ? {} : { right }) },
    ...(shift === '' ? {} : { shift }),
    ...(log ? { log } : {}),
    ...(least === null ? {} : { least }),
    ...(greatest === null ? {} : { greatest }),
  }
}

/** Why a part cannot be saved; null if it can. */
export function partFault({ tags = [], fields = [] }: Pick<Cell, 'tags' | 'fields'>): string | null {
  const over = Object.entries({ tags, fields }).find(([, names]) => names.length > partNamesMax)
  if (over === undefined) return null
  const [what, { length }] = over
  return `A part of a view has at most ${partNamesMax} ${what}, and these are ${length}. Choose fewer, or save them as several parts.`
}

export const frameSaved = ({ range, from, to, zone }: View): Pick<ViewDefinition, 'range' | 'from' | 'to' | 'zone'> =>
  range === '' ? { from, to, zone } : { range, zone }
