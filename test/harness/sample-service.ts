import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { SFNClient } from '@aws-sdk/client-sfn'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { startLocalService } from '../../bin/command/local-service.ts'
import { createDemoOrganization, type DemoOrganization, seedOnce } from '../../bin/samples/seed.ts'
import { eventLog } from '../../local/event-bridge/endpoint.ts'
import type { LocalService, LocalServiceOptions } from '../../local/service.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { type Right, readRights } from '../least-privilege/policies.ts'
import type { JobsTable } from './stored-jobs.ts'

/** A service in this process with the sample data, whose stored jobs and executions a test can reach. */
export interface SampleService {
  readonly service: LocalService
  readonly dataFolder: string
  readonly jobs: JobsTable
  readonly stepFunctions: SFNClient
  /** Rights of the functions' roles. */
  readonly rights: readonly Right[]
  newOrganization(): Promise<DemoOrganization>
  /** Invokes the sweeper as its schedule does. Returns true if it ran to its end. */
  sweep(): Promise<boolean>
  close(): Promise<void>
}

/** Starts a service on a new data folder. */
export async function startSampleService(
  dataFolder: string,
  options: Pick<LocalServiceOptions, 'observe' | 'onInvocation' | 'adjust'>,
): Promise<SampleService> {
  const service = await startLocalService(dataFolder, 0, options)
  await seedOnce(service, dataFolder)
  appendFileSync(join(dataFolder, 'logs', eventLog), '')
  const client = connectDynamo()
  const access = createDynamoAccess(client, service.tables.Access)
  return {
    service,
    dataFolder,
    jobs: { client, table: service.tables.Jobs },
    stepFunctions: new SFNClient({}),
    rights: readRights(readStackTemplate(join(dataFolder, 'cdk.out'), 'SearchService')),
    newOrganization: () => createDemoOrganization(access, 'A case'),
    sweep: async () => (await service.invoke('SweepSearches', { source: 'aws.events' })).outcome === 'returned',
    close: () => service.close(),
  }
}
