import Type, { type Static } from 'typebox'

/** The response to a program that requests the root path. */
export const ServiceAnswer = Type.Object({
  service: Type.String(),
  version: Type.String({ description: "The interface's version." }),
  links: Type.Record(Type.String(), Type.String(), { description: 'The paths of its parts.' }),
})
export type ServiceAnswer = Static<typeof ServiceAnswer>
