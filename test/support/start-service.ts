import { openService, type Service } from '../../src/service/start-service.ts'

/** Like `openService`, but resolves when the service has started: it responds to queries, or /readyz reports what the start waits for. */
export async function startService(...given: Parameters<typeof openService>): Promise<Service> {
  const service = await openService(...given)
  await service.started()
  return service
}
