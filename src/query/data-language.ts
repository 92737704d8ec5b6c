// The data queries: an entity that the reader may read, and a plan for it.
import type { Language, QueryLimits, ReadQuery } from '../admission/queries.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { Plan } from '../model/plan.ts'
import { isSmallPlan } from '../model/plan-size.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { planQuery } from './plan-query.ts'
import type { PlanRunner } from './plan-runner.ts'
import { readableEntity } from './readable-entity.ts'
import type { QueryRequest } from './requests.ts'
import { type TagShapeParts, tagShapes } from './tag-shapes.ts'

export interface DataQuestion<Kind extends QueryKind = QueryKind> {
  readonly kind: Kind
  readonly request: QueryRequest<Kind>
  readonly format: AnswerFormat
}

export interface DataLanguageParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  /** Of metadata, which may say the shapes of tags. */
  readonly items: TagShapeParts['items']
  readonly runner: Pick<PlanRunner, 'run'>
  readonly nowMs: () => number
  readonly limits: QueryLimits
}

/** Its Problems are `unknown_entity`, `forbidden`, `invalid_request` and `too_many_buckets`. */
export function dataLanguage({ definitions, items, runner, nowMs, limits }: DataLanguageParts): Language<DataQuestion> {
  return {
    advice: 'Ask for a shorter range, fewer tags (ids, prefixes) or fewer metrics.',
    timeoutMs: () => 0,
    read: ({ kind, request, format }, { reader }) => {
      const entity = readableEntity(definitions, request.entity, reader)
      const planned = planQuery(kind, request, { entity, nowMs: nowMs(), bucketsMax: limits.buckets })
      const readPlan = (plan: Plan): ReadQuery => {
        const question = { language: 'data', plan, format } as const
        return {
          kind: isSmallPlan(plan) ? 'small' : 'data',
          engines: [{ name: null, answer: (deadline) => runner.run(question, limits, deadline) }],
        }
      }
      const shapeFrom = 'shape' in request && request.shape != null ? undefined : entity.reading?.shapeFrom
      // States are always steps.
      if (shapeFrom === undefined || planned.kind !== 'aggregate') return readPlan(planned)
      return tagShapes(shapeFrom, planned.selection, { definitions, items }).then((shapeOfTag) =>
        readPlan({ ...planned, values: { ...planned.values, shapeOfTag } }),
      )
    },
  }
}
