// An exported view as a file, and the effect of importing it.
import type { ViewDefinition } from '../../../../src/client/answers.ts'
import { plural } from '../../parts/formats.ts'

export interface Exported {
  readonly name: string
  /** Not validated here; the service reports faults. */
  readonly view: ViewDefinition
}

/** Throws if the text is not an exported view. */
export function exportedIn(text: string): Exported {
  const noView = 'The file is not an exported view: {"name": …, "view": {…}}.'
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

/** Describes the effect of an import. `readable` is null while the entities are unknown. */
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
      : [
          `These entities do not exist, or this key may not read them: ${missing.join(', ')}. Parts that show them say so.`,
        ]),
  ].join(' ')
}

/** The entities of cells and variables, and the initial values of entity variables. The file may contain any value in their place. */
function entitiesOf({ cells, variables }: ViewDefinition): string[] {
  const choices = variables ?? []
  const named: readonly unknown[] = [...cells, ...choices].map((one) => Reflect.get(Object(one), 'entity'))
  const begun: readonly unknown[] = choices.map((one) => (Object(one).kind === 'entity' ? one.value : undefined))
  const texts = [...named, ...begun].filter((entity) => typeof entity === 'string')
  return [...new Set(texts)].filter((entity) => entity !== '' && !entity.includes('$'))
}
