// The settings of the audit: a part of the table in settings.ts.
import { type Setting, text } from './setting.ts'

export const auditSettings = {
  'audit.keep': text({
    default: 'P365D',
    pattern: /^P(?=\d)(\d{1,3}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,5}D)?$/,
    allowed: 'a duration of years, months, weeks and days such as P365D',
    description: 'How long the lines of the audit are kept; `tidemark audit` lists them.',
  }),
} satisfies Record<string, Setting>
