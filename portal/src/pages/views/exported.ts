// A view as a file that was exported, and what an import of it will do.
import type { ViewDefinition } from '../../../../src/client/answers.ts'
import { plural } from '../../parts/formats.ts'

export interface Exported {
  readonly name: string
  /** The service says what is wrong with it. */
  readonly view: ViewDefinition
}

/** Throws of a text that is no exported view. */
export function exportedIn(text: string): Exported {
  const noView = 'The file is no exported view: {"name": …, "view": {…}}.'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(noView)
  }
  const name: unknown = Reflect.get(Object(value), 'name')
  const view: unknown = Reflect.get(Object(value), 'view')
  const lists = [Reflect.get(Object(view), 'cells'), Reflect.get(Object(view), 'variables') ?? []]
  if (typeof name !== 'string' || !lists.every(Array.isArray)) throw new Error(noView)
  return { name, view: view as ViewDefinition }
}

/** What an import will do; without `readable` it is not known yet which entities there are. */
export function importText(name: string, view: ViewDefinition, readable: readonly string[] | null): string {
  const { cells, variables } = view
  const entities = entitiesOf(view)
  const chosen = variables?.length ? ` and ${plural(variables.length, 'variable')}` : ''
  const what = `It saves the new view ${name}, of ${plural(cells.length, 'part')}${chosen}`
  const missing = readable === null ? [] : entities.filter((entity) => !readable.includes(entity))
  return [
    entities.length === 0 ? `${what}.` : `${what}, which show items of ${entities.join(', ')}.`,
    ...(missing.length === 0
      ? []
      : [`There is no entity ${missing.join(', ')}, or not for this key: what shows it says so.`]),
  ].join(' ')
}

/** As they stand, and those that variables begin with. A file may have anything in their place. */
function entitiesOf({ cells, variables }: ViewDefinition): string[] {
  const choices = variables ?? []
  const named: readonly unknown[] = [...cells, ...choices].map((one) => Reflect.get(Object(one), 'entity'))
  const begun: readonly unknown[] = choices.map((one) => (Object(one).kind === 'entity' ? one.value : undefined))
  const texts = [...named, ...begun].filter((entity) => typeof entity === 'string')
  return [...new Set(texts)].filter((entity) => entity !== '' && !entity.includes('$'))
}
