import { createDynamoAccess } from '../../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createMemoryAccess, type MemoryAccess } from '../../../doubles/memory-access.ts'
import { createMemoryJobs, type MemoryJobs } from '../../../doubles/memory-ports.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'
import type { Endpoints } from '../../../endpoints/endpoints.ts'

/** Opens the jobs of the run's DynamoDB, and their double in tests of the core. `stores` has both by name. */
export function openJobs() {
  const { tables, environment } = connectEndpoints()
  const client = connectDynamo()
  const [jobs, memory] = [createDynamoJobs(client, tables.jobs), createMemoryJobs()]
  return { tables, environment, client, jobs, memory, stores: { DynamoDB: jobs, memory } }
}

/** Opens the same jobs with keys, and with look-ups of a job for a key. */
export function openLookups<Lookup>(
  ofDynamo: (client: ReturnType<typeof connectDynamo>, tables: Endpoints['tables']) => Lookup,
  ofMemory: (access: MemoryAccess, jobs: MemoryJobs) => Lookup,
) {
  const { tables, client, jobs, memory } = openJobs()
  const access = createMemoryAccess()
  const stores = {
    DynamoDB: { access: createDynamoAccess(client, tables.access), jobs, lookup: ofDynamo(client, tables) },
    memory: { access, jobs: memory, lookup: ofMemory(access, memory) },
  }
  return { tables, client, stores }
}
