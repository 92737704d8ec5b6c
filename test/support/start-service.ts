import { openService, type Service } from '../../src/service/start-service.ts'

/** As `openService`, once it is started: queries are answered, or /readyz says what the start waits for. */
export async function startService(...given: Parameters<typeof openService>): Promise<Service> {
  const service = await openService(...given)
  await service.started()
  return service
}
