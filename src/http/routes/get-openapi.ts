import { sendBody } from '../answer.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

export const getOpenapi: Route = (app, { settings }) => {
  let document: Buffer | null = null
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { hide: true, querystring: anyParameters },
    handler: async (request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()))
      const body = { bytes: document.length, chunks: [document] }
      return sendBody(request, reply, 'application/json', body, settings.limits.sendIdleMs)
    },
  })
}
