import { catalogContract } from '../contract/catalog.ts'
import { testSchema } from './postgres-schemas.ts'

catalogContract(
  'PostgreSQL',
  async () => {
    const schema = testSchema()
    return {
      open: () => schema.open(),
      age: async () => {
        await schema.query("insert into migrations select max(number) + 1, '9999-from-the-future' from migrations")
      },
      remove: () => schema.remove(),
    }
  },
  () => {},
)
