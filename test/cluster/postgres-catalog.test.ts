import { catalogContract } from '../contract/catalog.ts'
import { testSchema } from './postgres-schemas.ts'

catalogContract(
  'PostgreSQL',
  async () => {
    const schema = testSchema()
    return {
      open: () => schema.open(),
      run: async (sql) => {
        await schema.query(sql)
      },
      remove: () => schema.remove(),
    }
  },
  () => {},
)
