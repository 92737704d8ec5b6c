import { SettingPage } from '../../admin/setting-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getSettings: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/settings',
    schema: {
      tags: ['admin'],
      operationId: 'listSettings',
      summary: 'The settings of the process that answers.',
      description: 'Needs a key with the right `admin`. All are on one page. No secret is shown.',
      security: keySecurity,
      response: answers(200, 'All settings.', SettingPage, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = { Items: services.settingsInForce(), NextToken: null }
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
