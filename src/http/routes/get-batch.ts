import Type from 'typebox'
import { requireCaller } from '../../access/caller.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { ReceiptAnswer } from './push-schemas.ts'

export const getBatch: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/batches/:batch',
    schema: {
      tags: ['ingestion'],
      operationId: 'receipt',
      summary: 'The outcome of one push.',
      security: keySecurity,
      params: Type.Object({
        ingest: Type.String({ description: 'The alias of the ingest.' }),
        batch: Type.String({ description: 'The `batch` in the answer of the push.' }),
      }),
      response: answers(200, 'The receipt.', ReceiptAnswer, [
        'invalid_request',
        'forbidden',
        'batch_not_found',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: acceptJson,
    handler: async (request, reply) => {
      const { subscriberId } = requireCaller(guard.asker(request))
      const id = services.definitions.ingest(request.params.ingest)?.id ?? null
      const receipt = await services.receipts.receipt(subscriberId, id, request.params.batch)
      return sendJson(request, reply, receipt, settings.limits.sendIdleMs)
    },
  })
}
