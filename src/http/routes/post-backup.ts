import { BackupAnswer } from '../../admin/backups.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const postBackup: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/backups',
    schema: {
      tags: ['admin'],
      operationId: 'makeBackup',
      summary: 'Make a backup of the running service, in a folder of its own on the server.',
      security: keySecurity,
      response: answers(201, 'The backup is complete and on disk.', BackupAnswer, [
        ...noBodyProblems,
        'not_acceptable',
        'unavailable',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      const answer = await services.backups.make()
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
