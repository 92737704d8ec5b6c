import type { Settings } from '../config/settings.ts'
import { metricsAccess } from '../http/guard.ts'
import { type OpenTo, openTo } from '../http/open-access.ts'

const words: Readonly<Record<OpenTo, string>> = {
  public: 'public',
  key: 'key',
  loopback: 'public from this machine, key from elsewhere',
}

/** Who may read where no setting says it: the address that the service listens on decides. */
export function unsetAccess({ access, host }: Settings): ReadonlyMap<string, string> {
  return new Map([
    ['access.consumption', words[openTo(access.consumption, host)]],
    ['access.metrics', words[openTo(metricsAccess(access), host)]],
  ])
}
