// Saved views: named pages of charts, values, tables and states.
import { Type } from 'typebox'
import type { StateSources } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { SavedView, ViewCatalog, ViewHead } from '../catalog/views.ts'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { granularityForms, parseGranularity } from '../model/granularity.ts'
import { formatInstant, parseInstant } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { partNamesMax } from '../model/saved-view.ts'
import { earlierMs, parseWhen, type When, whenForms } from '../model/when.ts'
import { afterName, pageOf, pageSchema } from './list-page.ts'

/** The most views of all subscribers together. */
export const viewsMax = 1000
const viewBytesMax = 65_536
const nameCharactersMax = 128
/** The most names that an error message lists. */
const listedMax = 20

const name = (description: string) => Type.String({ maxLength: nameCharactersMax, description })
const names = (description: string) =>
  Type.Array(Type.String({ maxLength: 1024 }), { maxItems: partNamesMax, description })

const variableMark = 'may have `$name` for the value of a variable of the view'

const Cell = Type.Object(
  {
    kind: Type.Enum(['chart', 'value', 'table', 'state', 'text'], {
      description:
        'What the cell shows: lines over the range, newest values, a table of newest, least, mean and greatest values, or how long each state lasted; or a text.',
    }),
    title: Type.Optional(name(`The title; ${variableMark}.`)),
    text: Type.Optional(Type.String({ maxLength: 4000, description: `Of a text; ${variableMark}.` })),
    entity: Type.Optional(name(`Whose items it shows, for all but a text; ${variableMark}.`)),
    by: Type.Optional(name('The tag field that `tags` are values of; by default all tag fields, chosen by the first.')),
    tags: Type.Optional(names(`The tags; each ${variableMark}.`)),
    fields: Type.Optional(names('The metrics; by default the first one.')),
    how: Type.Optional(
      Type.Enum(['auto', 'average', 'time_mean', 'band', 'rise', 'select', 'snap'], {
        description: 'How a chart draws them, as in the portal; by default `auto`.',
      }),
    ),
    granularity: Type.Optional(name('Of a chart in buckets, as of the data queries; by default what fits its width.')),
    right: Type.Optional(names('Lines of a chart that have the axis at the right.')),
    shift: Type.Optional(name('Of a chart: how much earlier the lines to compare with are, an ISO 8601 duration.')),
    log: Type.Optional(Type.Boolean({ description: 'Whether the axis at the left of a chart is logarithmic.' })),
    least: Type.Optional(
      Type.Number({
        description: 'Where that axis begins, above 0 where it is logarithmic; by default with the lines.',
      }),
    ),
    greatest: Type.Optional(Type.Number({ description: 'Where it ends, likewise, above `least`.' })),
  },
  { additionalProperties: false },
)
type Cell = Type.Static<typeof Cell>

const Variable = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,31}$', description: 'The name after the `$`.' }),
    kind: Type.Enum(['entity', 'tag'], { description: 'What is chosen.' }),
    entity: Type.Optional(name('Of a tag: the entity whose tags are offered; may be `$name` of a variable before it.')),
    value: Type.String({ maxLength: 1024, description: 'The value if the address chooses none.' }),
  },
  { additionalProperties: false },
)
type Variables = readonly Type.Static<typeof Variable>[]

export const ViewDefinition = Type.Object(
  {
    range: Type.Optional(name('The range, up to now: an ISO 8601 duration.')),
    from: Type.Optional(
      name(
        'The start of the range, where there is no `range`: a time as Explore reads it, as `2026-01-31 08:00`, `31.01.2026`, `yesterday` or `-6h`.',
      ),
    ),
    to: Type.Optional(name('Its end, likewise.')),
    zone: Type.Optional(name('The time zone, by its IANA name.')),
    variables: Type.Optional(Type.Array(Variable, { maxItems: 8 })),
    cells: Type.Array(Cell, { maxItems: 24, minItems: 1 }),
  },
  { additionalProperties: false, description: `A page of charts, of at most ${viewBytesMax} bytes as JSON.` },
)
export type ViewDefinition = Type.Static<typeof ViewDefinition>

const head = {
  name: Type.String(),
  subscriber: Type.String({ description: 'Who saved it first, by the name of that time.' }),
  changed: Type.String({ format: 'date-time' }),
  may_change: Type.Boolean({ description: 'Whether the caller may change and delete it.' }),
}

export const ListedView = Type.Object({
  ...head,
  entities: Type.Array(Type.String(), { description: 'The entities whose items it shows.' }),
  cells: Type.Integer({ description: 'The number of cells on it.' }),
})
export type ListedView = Type.Static<typeof ListedView>
export const ViewPage = pageSchema(ListedView)

export const ViewAnswer = Type.Object({ ...head, view: ViewDefinition })
export type ViewAnswer = Type.Static<typeof ViewAnswer>

/** The caller of a request about views. */
export interface Viewer {
  /** Null for a request without a valid key. */
  readonly subscriberId: number | null
  readonly isOperator: boolean
  mayRead(entity: string): boolean
}

/** A caller that may save views. */
export interface ViewMaker extends Viewer {
  readonly subscriberId: number
  readonly subscriber: string
}

export interface ViewParts {
  readonly views: ViewCatalog
  readonly definitions: Pick<Definitions, 'entity' | 'ingest'>
  readonly isTimeZone: (name: string) => boolean
  readonly tokens: NextTokens
  readonly nowMs: () => number
}

/** A view is visible to its owner, to operators, and to callers that may read all entities it names. Its owner and operators may change it. */
export class Views {
  readonly #parts: ViewParts

  constructor(parts: ViewParts) {
    this.#parts = parts
  }

  /** The views that the viewer may see, ordered by name. */
  async list(viewer: Viewer, request: PageRequest): Promise<Page<ListedView>> {
    const { tokens } = this.#parts
    const seen = await this.#seen(viewer)
    return pageOf<ListedView>(request, {
      tokens,
      scope: ['/consumer/views'],
      keyOf: (view) => view.name,
      itemsAfter: async (after, limit) =>
        afterName(seen, after, limit).map((view) => {
          return { ...headOf(view, viewer), entities: [...view.entities], cells: view.cells }
        }),
    })
  }

  /** Throws Problem `not_found`, also for a view that the viewer may not see. */
  async show(viewer: Viewer, name: string): Promise<ViewAnswer> {
    const view = await this.#parts.views.find(name)
    if (view === null || !maySee(view, viewer)) throw await this.#unknown(viewer, name)
    return { ...headOf(view, viewer), view: JSON.parse(view.definition) }
  }

  /** Throws Problem `invalid_request` for invalid values, `conflict` above `viewsMax`, for another subscriber's view, and when it differs from `known`. */
  async put(
    maker: ViewMaker,
    name: string,
    definition: ViewDefinition,
    known?: string,
  ): Promise<{ readonly isNew: boolean; readonly answer: ViewAnswer }> {
    requireName(name)
    this.#requireFrame(definition)
    const variables = definition.variables ?? []
    requireVariables(variables)
    for (const [index, cell] of definition.cells.entries()) {
      const path = `cells[${index}]`
      requireWhole(cell, path)
      requireDrawable(cell, path, this.#parts.nowMs())
      requireKnownMarks(cell, path, variables)
      this.#requireKnownFields(maker, cell, path)
    }
    const json = JSON.stringify(definition)
    if (Buffer.byteLength(json) > viewBytesMax)
      throw invalidRequest('', `has more than ${viewBytesMax} bytes as JSON, the most that a view may have`)
    const { subscriberId, subscriber, isOperator } = maker
    const knownMs = known === undefined ? undefined : knownMsOf(known)
    const view: SavedView = {
      ...{ name, subscriberId, subscriber, definition: json },
      ...{ entities: entitiesOf(definition), cells: definition.cells.length, changedMs: this.#parts.nowMs() },
    }
    const isNew = await this.#parts.views.put(view, { viewsMax, isAnyones: isOperator, knownMs })
    return { isNew, answer: await this.show({ ...maker, mayRead: () => true }, name) }
  }

  /** Throws Problem `not_found`, also for a view that the maker may not see, and `forbidden` for another subscriber's view. */
  async delete(maker: ViewMaker, name: string): Promise<void> {
    const { subscriberId, isOperator } = maker
    if (await this.#parts.views.delete(name, isOperator ? null : subscriberId)) return
    const { subscriber } = await this.show(maker, name)
    throw new Problem(
      'forbidden',
      `The view "${name}" belongs to ${subscriber}. Only ${subscriber} or an operator may delete it.`,
    )
  }

  /** An empty text counts as absent, because the portal saves it that way. */
  #requireFrame({ range = '', from = '', to = '', zone = '' }: ViewDefinition): void {
    const nowMs = this.#parts.nowMs()
    if (zone !== '' && !this.#parts.isTimeZone(zone))
      throw invalidRequest('zone', 'must be an IANA time zone such as Europe/Madrid or UTC')
    if (range !== '' && !isEarlier(range, nowMs)) throw invalidRequest('range', `must be ${durationForm}`)
    if (range !== '' && (from !== '' || to !== ''))
      throw invalidRequest(
        from === '' ? 'to' : 'from',
        'cannot be used with `range`, which ends now: leave out one of them',
      )
    requireSpan(from, to, nowMs)
  }

  /** Checks field names if the entity exists. Where rows can add fields, unknown names are allowed, because the field may exist later. */
  #requireKnownFields(maker: ViewMaker, { entity: name = '', by = '', fields = [] }: Cell, path: string): void {
    const entity = maker.mayRead(name) ? this.#parts.definitions.entity(name) : undefined
    if (entity === undefined) return
    const isOpen = entity.ingests.some((alias) => this.#parts.definitions.ingest(alias)?.unknown === 'add')
    const requireField = (path: string, role: 'metric' | 'tag', field: string): void => {
      const found = entity.fields.find((one) => one.name === field)
      if (found?.role === role || (found === undefined && isOpen)) return
      const names = entity.fields.filter((one) => one.role === role).map((one) => one.name)
      const listed = `${names.slice(0, listedMax).join(', ')}${names.length > listedMax ? ', …' : ''}`
      throw invalidRequest(path, `must be a ${role} of ${name}, which has ${listed}.${didYouMean(field, names)}`)
    }
    if (by !== '') requireField(`${path}.by`, 'tag', by)
    for (const [index, field] of fields.entries()) requireField(`${path}.fields[${index}]`, 'metric', field)
  }

  async #seen(viewer: Viewer): Promise<readonly ViewHead[]> {
    return (await this.#parts.views.list()).filter((view) => maySee(view, viewer))
  }

  async #unknown(viewer: Viewer, name: string): Promise<Problem> {
    const names = (await this.#seen(viewer)).map((view) => view.name)
    return new Problem('not_found', `There is no view "${name}" that this key can read.${didYouMean(name, names)}`)
  }
}

/** The state of a view for the audit log; null when it does not exist. */
export async function viewState({ views }: StateSources, name: string): Promise<unknown> {
  const view = await views.find(name)
  return view === null ? null : { subscriber: view.subscriber, view: JSON.parse(view.definition) }
}

const isOwn = ({ subscriberId }: ViewHead, viewer: Viewer): boolean => viewer.subscriberId === subscriberId

const maySee = (view: ViewHead, viewer: Viewer): boolean =>
  viewer.isOperator || isOwn(view, viewer) || view.entities.every((entity) => viewer.mayRead(entity))

function headOf(view: ViewHead, viewer: Viewer) {
  const { name, subscriber, changedMs } = view
  return { name, subscriber, changed: formatInstant(changedMs), may_change: viewer.isOperator || isOwn(view, viewer) }
}

function knownMsOf(known: string): number | null {
  const ms = known === 'never' ? null : parseInstant(known)
  if (known !== 'never' && ms === null) throw invalidRequest('changed', 'must be the date of a change, or `never`')
  return ms
}

const control = /\p{Cc}/u
/** In addresses these mean folders, even percent-encoded: browsers and curl would request another path. */
const dots: ReadonlySet<string> = new Set(['.', '..'])

function requireName(name: string): void {
  const isName = name !== '' && name === name.trim() && name.length <= nameCharactersMax && !control.test(name)
  if (isName && !dots.has(name)) return
  throw invalidRequest(
    'name',
    `must be 1 to ${nameCharactersMax} characters, no control characters, no blanks at either end, and be neither "." nor ".."`,
  )
}

const durationForm = 'an ISO 8601 duration such as P1D, longer than zero, that does not reach before the year 1'

function isEarlier(duration: string, nowMs: number): boolean {
  const ms = earlierMs(nowMs, duration)
  return ms !== null && ms < nowMs
}

function requireSpan(from: string, to: string, nowMs: number): void {
  if (from === '' && to === '') return
  const requireWhen = (path: string, text: string): When => {
    const when = parseWhen(text, nowMs)
    if (when === null) throw invalidRequest(path, `must be ${whenForms}: a view has both ends of its range or neither`)
    return when
  }
  const [start, end] = [requireWhen('from', from), requireWhen('to', to)]
  // Times of different kinds can only be compared when the zone is known.
  if (start.kind === end.kind && start.ms > end.ms) throw invalidRequest('from', 'must not be after `to`')
}

function requireVariables(variables: Variables): void {
  const names = variables.map(({ name }) => name)
  for (const [index, { name, entity }] of variables.entries()) {
    const path = `variables[${index}]`
    if (names.indexOf(name) < index) throw invalidRequest(`${path}.name`, 'is already the name of an earlier variable')
    if (entity !== undefined) requireMarks(entity, `${path}.entity`, names.slice(0, index))
  }
}

/** Names of entities contain no $. Names of tags may, so in tags only a mark on its own is a variable. Titles and texts may contain dollar signs. */
function requireKnownMarks({ entity, tags = [], right = [] }: Cell, path: string, variables: Variables): void {
  const names = variables.map(({ name }) => name)
  if (entity !== undefined) requireMarks(entity, `${path}.entity`, names)
  for (const [property, list] of Object.entries({ tags, right }))
    for (const [index, tag] of list.entries())
      if (markAlone.test(tag)) requireMarks(tag, `${path}.${property}[${index}]`, names)
}

const markAlone = /^\$[A-Za-z]\w*$/

function requireMarks(text: string, path: string, names: readonly string[]): void {
  for (const [mark, name] of text.matchAll(/\$(\w*)/g)) {
    if (names.includes(name!)) continue
    const defined = names.length === 0 ? 'none is defined' : `these are ${names.map((one) => `$${one}`).join(', ')}`
    throw invalidRequest(path, `has ${mark}, which is not a variable that is available here: ${defined}`)
  }
}

function requireDrawable(
  { how, granularity = '', shift = '', log = false, least, greatest }: Cell,
  path: string,
  nowMs: number,
): void {
  const isTicks = how === 'snap'
  const isNone = parseGranularity(granularity) === null || (isTicks && granularity.toLowerCase() === 'none')
  if (granularity !== '' && isNone)
    throw invalidRequest(`${path}.granularity`, `must be one of ${granularityForms(isTicks ? 'none' : undefined)}`)
  if (shift !== '' && !isEarlier(shift, nowMs)) throw invalidRequest(`${path}.shift`, `must be ${durationForm}`)
  for (const [limit, value] of Object.entries({ least, greatest }))
    if (log && value !== undefined && value <= 0)
      throw invalidRequest(`${path}.${limit}`, 'must be above 0: the axis is logarithmic')
  if (least !== undefined && greatest !== undefined && least >= greatest)
    throw invalidRequest(`${path}.least`, 'must be less than `greatest`')
}

function requireWhole({ kind, text, entity, tags, how }: Cell, path: string): void {
  if (kind === 'text') {
    if (text === undefined || entity !== undefined)
      throw invalidRequest(path, 'is a text, so it has `text` and no entity')
    return
  }
  if (text !== undefined) throw invalidRequest(`${path}.text`, `is not a property of a ${kind}`)
  if (entity === undefined) throw invalidRequest(`${path}.entity`, 'must name an entity')
  if (tags === undefined || tags.length === 0) throw invalidRequest(`${path}.tags`, 'must have at least one tag')
  if (how !== undefined && kind !== 'chart') throw invalidRequest(`${path}.how`, `is not a property of a ${kind}`)
}

/** The entities named in the definition. Entities that a reader chooses by a variable are queried with the reader's own key. */
function entitiesOf({ variables = [], cells }: ViewDefinition): string[] {
  const chosen = variables.flatMap(({ kind, entity, value }) => [entity, kind === 'entity' ? value : undefined])
  const named = [...cells.map(({ entity }) => entity), ...chosen]
  // Names of entities contain no $.
  const plain = named.filter((entity) => entity !== undefined).filter((entity) => !entity.includes('$'))
  return [...new Set(plain)].sort(compareCodePoints)
}
