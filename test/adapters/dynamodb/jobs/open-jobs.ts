import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

/** The jobs of the run's DynamoDB, and the double that tests of the core use; `stores` has both under their names. */
export function openJobs() {
  const { tables, environment } = connectEndpoints()
  const client = connectDynamo()
  const [jobs, memory] = [createDynamoJobs(client, tables.jobs), createMemoryJobs()]
  return { tables, environment, client, jobs, memory, stores: { DynamoDB: jobs, memory } }
}
