import { BackupPage } from '../../admin/backup-list.ts'
import { BackupAnswer } from '../../admin/backups.ts'
import { answers } from '../document.ts'
import { bodyProblems, pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { adminRoute } from './json-route.ts'

export const postBackup = adminRoute({
  method: 'POST',
  url: '/admin/backups',
  operationId: 'makeBackup',
  summary: 'Make a backup of the running service, in a folder of its own on the server.',
  response: answers(201, 'The backup is complete and on disk.', BackupAnswer, [...bodyProblems, 'unavailable']),
  audited: { name: [] },
  answer: async (_request, { services }) => {
    const answer = await services.backups.make()
    await services.audit.setAfter(answer)
    return answer
  },
})

export const getBackups = adminRoute({
  method: 'GET',
  url: '/admin/backups',
  operationId: 'listBackups',
  summary: "The backups in the service's folder, newest first.",
  description: 'Needs a key with the right `admin`. A cluster makes no backups, so its list is empty.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of backups.', BackupPage, pageProblems),
  answer: ({ query }, { services }) => services.backupList.list(pageRequest(query)),
})
