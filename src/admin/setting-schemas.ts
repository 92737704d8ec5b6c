import { Type } from 'typebox'
import { pageSchema } from './list-page.ts'

export const SettingAnswer = Type.Object(
  {
    setting: Type.String({ examples: ['limits.resultRows'] }),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String()), Type.Null()], {
      description: 'The current value; null if nothing is set, and always for a secret.',
    }),
    usual: Type.Boolean({ description: 'Whether it is the default.' }),
    secret: Type.Boolean({ description: 'Whether its value is secret and never shown.' }),
    allowed: Type.String({ description: 'The allowed values, in words that follow "must be".' }),
    description: Type.String(),
  },
  { description: 'A setting, with its value in the process that answers.' },
)
export type SettingAnswer = Type.Static<typeof SettingAnswer>

export const SettingPage = pageSchema(SettingAnswer)
