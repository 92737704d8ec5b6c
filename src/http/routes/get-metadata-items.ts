import Type from 'typebox'
import { ItemPageAnswer } from '../../metadata/schemas.ts'
import { itemOperatorMeanings } from '../../model/item-operator.ts'
import { usualLimits } from '../../model/page.ts'
import { sendBody } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'

/** Only described: filters are named after the table's index field, so the query string is read once the table is known. */
const Query = Type.Object({
  limit: Type.Optional(
    Type.String({
      description: `The most items: 1 to ${usualLimits.itemsMax}, by default ${usualLimits.items}.`,
      examples: ['100'],
    }),
  ),
  NextToken: Type.Optional(Type.String({ description: 'The `NextToken` of the page before.' })),
})

const operators = Object.entries(itemOperatorMeanings)
  .map(([name, meaning]) => `\`${name}\` (${meaning})`)
  .join(', ')

export const getMetadataItems: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/consumer/metadata/:table',
    schema: {
      tags: ['consumption'],
      operationId: 'metadataItems',
      summary: 'The items of a metadata entity, by identifier.',
      description:
        `Only the index field filters items: \`<index_field>=value\`, or \`<index_field>[op]=value\`, where \`op\` is one of ${operators}. ` +
        'The two values of `be` may also be two parameters. An item must match all filters.',
      security: optionalKeySecurity,
      params: Type.Object({ table: Type.String({ description: 'The alias of the metadata ingest.' }) }),
      querystring: Query,
      response: answers(200, 'A page of items.', ItemPageAnswer, [
        'invalid_request',
        'invalid_token',
        'forbidden',
        'table_not_found',
        'not_acceptable',
        'unavailable',
        'shutting_down',
      ]),
    },
    validatorCompiler: (route) => (route.httpPart === 'querystring' ? () => true : schemaCompiler(route)),
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const query = queryOf(request.raw.url ?? '')
      const signal = inFlight.signal(reply)
      const answer = await services.metadata.list(request.params.table, query, guard.readable(request), signal)
      return sendBody(request, reply, 'application/json', answer, settings.limits.sendIdleMs)
    },
  })
}

function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}
