import Type, { type Static } from 'typebox'
import { batchLimits } from '../../admin/rejected-rows.ts'
import {
  BatchPageAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedPageAnswer,
  RejectedSummaryAnswer,
} from '../../admin/rejected-schemas.ts'
import { PreviewAnswer, ReplayAnswer, ReplayRequest } from '../../admin/replay-schemas.ts'
import { answers, bodyMayBeLeftOut } from '../document.ts'
import { AliasParameters, bodyProblems, pageProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { adminRoute, observeRoute } from './json-route.ts'

export const RejectedQuery = pageQuery({
  batch: Type.Optional(Type.String({ description: 'Only rows of this push.' })),
  /** One of the codes that rejected rows have. */
  code: Type.Optional(RejectedPageAnswer.properties.Items.items.properties.code),
  field: Type.Optional(Type.String({ description: 'Only rows in which this pushed property is at fault.' })),
})

export function rejectedRequest({ batch, code, field, ...page }: Static<typeof RejectedQuery>) {
  return { batch, code, field, ...pageRequest(page) }
}

export const pageDescription =
  'A page of rejected rows, in the order in which they were accepted. With very many kinds of faults a page may be empty although more follow: only the last page has no `NextToken`.'

export const getRejected = adminRoute({
  method: 'GET',
  url: '/admin/ingests/:alias/rejected',
  operationId: 'listRejected',
  summary: 'The rejected rows of an ingest, as they were pushed.',
  params: AliasParameters,
  querystring: RejectedQuery,
  response: answers(200, pageDescription, RejectedPageAnswer, [...pageProblems, 'ingest_not_found']),
  answer: ({ params, query }, { services }) => services.rejectedAdmin.list(params.alias, rejectedRequest(query)),
})

export const getRejectedSummary = observeRoute({
  method: 'GET',
  url: '/admin/ingests/:alias/rejected/summary',
  operationId: 'rejectedSummary',
  summary: 'The rejected rows of an ingest, counted by code and field.',
  description: 'Needs a key with the right `observe` or `admin`.',
  params: AliasParameters,
  response: answers(200, 'The faults.', RejectedSummaryAnswer, [...readProblems, 'ingest_not_found']),
  answer: ({ params }, { services }) => services.rejectedAdmin.summary(params.alias),
})

export const deleteRejected = adminRoute({
  ...bodyMayBeLeftOut,
  method: 'DELETE',
  url: '/admin/ingests/:alias/rejected',
  operationId: 'discardRejected',
  summary: 'Discard rejected rows for good: some by their ids, or all.',
  description:
    'Counters and receipts stay as they are. A request without a body discards all rejected rows of the ingest.',
  params: AliasParameters,
  body: DiscardRequest,
  response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
  audited: { name: ['alias'] },
  answer: ({ params, body }, { services }) => services.rejectedAdmin.discard(params.alias, body),
})

export const postReplay = adminRoute({
  ...bodyMayBeLeftOut,
  method: 'POST',
  url: '/admin/ingests/:alias/rejected/replay',
  operationId: 'replayRejected',
  summary: 'Validate rejected rows again: some by their ids, or all, changed or for another ingest.',
  description:
    'Rows that are valid by the current fields are stored and leave the list. They keep the order of their first push; rows that go `into` another ingest count as pushed now. The others stay, with their new reason; rows that were changed, or sent to another ingest, keep their old reason. A request without a body replays all rejected rows of the ingest. It is safe to repeat.',
  params: AliasParameters,
  body: ReplayRequest,
  response: answers(200, 'The replay is over.', ReplayAnswer, [...bodyProblems, 'ingest_not_found', 'unavailable']),
  audited: { name: ['alias'] },
  answer: async ({ params, body }, { services, inFlight }, reply) => {
    const answer = await services.rejectedAdmin.replay(params.alias, body, inFlight.signal(reply))
    await services.audit.setAfter(answer)
    return answer
  },
})

export const postReplayPreview = adminRoute({
  ...bodyMayBeLeftOut,
  method: 'POST',
  url: '/admin/ingests/:alias/rejected/replay/preview',
  operationId: 'previewReplay',
  summary: 'Show the outcome of a replay for the first rows, and change nothing.',
  description:
    'The body is that of the replay. Its first rows, at most limits.checkRows and one mebibyte, are changed and validated.',
  params: AliasParameters,
  body: ReplayRequest,
  response: answers(200, 'The outcome.', PreviewAnswer, [...bodyProblems, 'ingest_not_found']),
  audited: false,
  answer: ({ params, body }, { services }) => services.rejectedAdmin.previewReplay(params.alias, body),
})

export const getBatches = observeRoute({
  method: 'GET',
  url: '/admin/ingests/:alias/batches',
  operationId: 'listBatches',
  summary: 'The pushes to an ingest that have, or had, rejected rows.',
  description: 'Needs a key with the right `observe` or `admin`.',
  params: AliasParameters,
  querystring: pageQuery({}, batchLimits),
  response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...pageProblems, 'ingest_not_found']),
  answer: ({ params, query }, { services }) => services.rejectedAdmin.batches(params.alias, pageRequest(query)),
})
