import { BackupPage } from '../../admin/backup-list.ts'
import { BackupAnswer } from '../../admin/backups.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, pageProblems, pageQuery, pageRequest, refuseBody } from './admin-request.ts'

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
    config: { audited: { name: [] } },
    onRequest: [guard.admin, acceptJson],
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      const answer = await services.backups.make()
      await services.audit.tell(answer)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getBackups: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/backups',
    schema: {
      tags: ['admin'],
      operationId: 'listBackups',
      summary: "The backups in the service's folder, newest first.",
      description: 'Needs a key with the right `admin`. A cluster makes no backups, so its list is empty.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of backups.', BackupPage, [...pageProblems]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.backupList.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
