// i3X 1.0, the open API for manufacturing data: the operations of its endpoints, built on the service's common components.
import type { Queries } from '../admission/queries.ts'
import type { FormattedSqlQuery } from '../druid-sql/sql-language.ts'
import type { Pushes } from '../ingest/push.ts'
import type { PushCheck } from '../ingest/push-check.ts'
import { formatInstant } from '../model/instant.ts'
import type { DataQuestion } from '../query/plan-query.ts'
import { AddressSpace, type AddressSpaceParts, type I3xObject } from './address-space.ts'
import { type Bulk, noElement, outcomes, requireAtMost, type SingleResponse } from './answers.ts'
import type { I3xCaller } from './caller.ts'
import { hierarchyOf } from './item-tables.ts'
import { type Namespace, type ObjectType, type RelationshipType, relationshipTypes } from './object-types.ts'
import type { LivePort } from './subscription.ts'
import { Subscriptions } from './subscriptions.ts'
import { type TimeRange, Values } from './values.ts'
import { type Admit, type Update, Writes } from './writes.ts'

export interface I3xSettings {
  readonly namespace: string
  readonly hierarchy: readonly string[]
  readonly objects: number
  readonly values: number
  readonly subscriptions: number
  readonly waitingBytes: number
  readonly idleMs: number
}

export interface I3xParts extends Pick<AddressSpaceParts, 'definitions' | 'tagLists' | 'items'> {
  readonly queries: Pick<Queries<DataQuestion>, 'run'>
  readonly sqlQueries: Pick<Queries<FormattedSqlQuery>, 'run'>
  readonly pushes: Pick<Pushes, 'push'>
  readonly check: Pick<PushCheck, 'faults'>
  readonly live: LivePort
  readonly settings: I3xSettings
  readonly nowMs: () => number
}

interface AskedObjects {
  readonly typeElementId: string | null
  readonly isRoot: boolean
  readonly withMetadata: boolean
}

type WithMetadata = I3xObject & { readonly metadata?: object }

export class I3x {
  readonly #settings: I3xSettings
  readonly #space: AddressSpace
  readonly #values: Values
  readonly #writes: Writes
  readonly subscriptions: Subscriptions

  constructor(parts: I3xParts) {
    const { settings, live, nowMs } = parts
    const { namespace: namespaceUri, objects: objectsMax, values: valuesMax } = settings
    const hierarchy = hierarchyOf(settings.hierarchy)
    this.#settings = settings
    this.#space = new AddressSpace({ ...parts, hierarchy, namespaceUri, objectsMax })
    this.#values = new Values({ ...parts, space: this.#space, valuesMax })
    this.#writes = new Writes({ ...parts, space: this.#space })
    const shared = { space: this.#space, values: this.#values, limits: settings, nowMs }
    this.subscriptions = new Subscriptions({ ...shared, live })
  }

  namespaces(): SingleResponse<readonly Namespace[]> {
    return { result: this.#space.namespaces, partial: null }
  }

  objectTypes(namespaceUri: string | null, caller: I3xCaller): SingleResponse<readonly ObjectType[]> {
    return { result: ofNamespace(this.#space.types(caller), namespaceUri), partial: null }
  }

  objectTypesOf(ids: readonly string[], caller: I3xCaller): Bulk<ObjectType> {
    return named(this.#bounded(ids), this.#space.types(caller))
  }

  relationshipTypes(namespaceUri: string | null): SingleResponse<readonly RelationshipType[]> {
    return { result: ofNamespace(relationshipTypes, namespaceUri), partial: null }
  }

  relationshipTypesOf(ids: readonly string[]): Bulk<RelationshipType> {
    return named(this.#bounded(ids), relationshipTypes)
  }

  async objects(asked: AskedObjects, caller: I3xCaller): Promise<SingleResponse<readonly WithMetadata[]>> {
    const { typeElementId, isRoot, withMetadata } = asked
    const { objects, isPart } = isRoot ? await this.#space.roots(caller) : await this.#space.all(typeElementId, caller)
    const isOfType = ({ typeElementId: one }: I3xObject) => typeElementId === null || one === typeElementId
    const shown = this.#shown(withMetadata, caller)
    return { result: objects.filter(isOfType).map(shown), partial: isPart ? this.#fewer() : null }
  }

  async objectsOf(ids: readonly string[], withMetadata: boolean, caller: I3xCaller): Promise<Bulk<WithMetadata>> {
    const found = await this.#space.find(this.#bounded(ids), caller)
    const shown = this.#shown(withMetadata, caller)
    return {
      results: outcomes(ids, (id) => {
        const one = found.get(id)
        return one === undefined ? undefined : shown(one.object)
      }),
      partial: null,
    }
  }

  /** Throws Problem `not_found` for an unknown relationship type. */
  async related(
    ids: readonly string[],
    { relationshipType, withMetadata }: { readonly relationshipType: string | null; readonly withMetadata: boolean },
    caller: I3xCaller,
  ): Promise<Bulk<readonly object[]>> {
    const only = relationshipTypes.find(({ elementId }) => elementId === relationshipType) ?? null
    if (relationshipType !== null && only === null) throw noElement(relationshipType)
    const found = await this.#space.find(this.#bounded(ids), caller)
    const { edges, isPart } = await this.#space.related(found, only?.relationshipId ?? null, caller)
    const shown = this.#shown(withMetadata, caller)
    const results = outcomes(ids, (id) =>
      edges.get(id)?.map(({ sourceRelationship, object }) => ({ sourceRelationship, object: shown(object) })),
    )
    return { results, partial: isPart ? this.#fewer() : null }
  }

  async values(ids: readonly string[], maxDepth: number, caller: I3xCaller): Promise<Bulk<object>> {
    const found = await this.#space.find(this.#bounded(ids), caller)
    const values = await this.#values.current(found, maxDepth, caller)
    return { results: outcomes(ids, (id) => values.get(id)), partial: null }
  }

  async history(ids: readonly string[], range: TimeRange, maxDepth: number, caller: I3xCaller): Promise<Bulk<object>> {
    const found = await this.#space.find(this.#bounded(ids), caller)
    const { values, cutMs } = await this.#values.history(found, range, maxDepth, caller)
    const { values: valuesMax } = this.#settings
    const partial =
      cutMs === null
        ? null
        : `The answer has all values before ${formatInstant(cutMs)} and none from then on: an answer has at most ${valuesMax} values (i3x.values). Continue with startTime ${formatInstant(cutMs)}, or request fewer elements.`
    return { results: outcomes(ids, (id) => values.get(id)), partial }
  }

  async write(
    updates: readonly Update[],
    rules: { readonly isHistory: boolean; readonly admit: Admit },
    caller: I3xCaller,
  ): Promise<Bulk<null>> {
    this.#bounded(updates)
    return { results: await this.#writes.write(updates, rules, caller), partial: null }
  }

  /** Throws Problem `invalid_request` if there are more than a response may have. */
  #bounded<Item>(all: readonly Item[]): readonly Item[] {
    requireAtMost(this.#settings.objects, all)
    return all
  }

  #fewer(): string {
    return `There are more than ${this.#settings.objects} objects, which is i3x.objects. Browse from GET /objects?root=true by POST /objects/related, or request one typeElementId.`
  }

  #shown(withMetadata: boolean, caller: I3xCaller): (object: I3xObject) => WithMetadata {
    if (!withMetadata) return (object) => object
    const types = new Map(this.#space.types(caller).map((type) => [type.elementId, type]))
    return (object) => {
      const { namespaceUri, sourceTypeId } = types.get(object.typeElementId)!
      return { ...object, metadata: { typeNamespaceUri: namespaceUri, sourceTypeId } }
    }
  }
}

function ofNamespace<Type extends { readonly namespaceUri: string }>(
  types: readonly Type[],
  uri: string | null,
): readonly Type[] {
  return uri === null ? types : types.filter(({ namespaceUri }) => namespaceUri === uri)
}

function named<Type extends { readonly elementId: string }>(
  ids: readonly string[],
  types: readonly Type[],
): Bulk<Type> {
  const byId = new Map<string, Type>(types.map((type) => [type.elementId, type]))
  return { results: outcomes(ids, (id) => byId.get(id)), partial: null }
}
