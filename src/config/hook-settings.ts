// The settings of hooks: a part of the table in settings.ts.
import { flag, type Setting } from './setting.ts'

export const hookSettings = {
  'hooks.privateAddresses': flag({
    default: false,
    description:
      'Whether a hook may be at an address of this machine, or of a private, link-local, shared or reserved network. While it may not, who may make hooks cannot reach the neighbours of the service by them.',
  }),
} satisfies Record<string, Setting>
