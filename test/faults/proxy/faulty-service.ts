import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SFNClient } from '@aws-sdk/client-sfn'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createDynamoAccess } from '../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../adapters/dynamodb/dynamo-client.ts'
import { startLocalService } from '../../../bin/command/local-service.ts'
import { createDemoOrganization, type DemoOrganization, seedOnce } from '../../../bin/samples/seed.ts'
import { eventLog } from '../../../local/event-bridge/endpoint.ts'
import type { FunctionDefinition } from '../../../local/lambda/function-definition.ts'
import type { LocalService } from '../../../local/service.ts'
import { readStackTemplate } from '../../../local/stack-template.ts'
import { type Right, readRights } from '../../least-privilege/policies.ts'
import { waitForQueries } from '../../local/query-wait.ts'
import { FaultProxy } from './fault-proxy.ts'

/** A running service whose every SDK call can be made to fail. */
export interface FaultyService {
  readonly service: LocalService
  readonly proxy: FaultProxy
  readonly dynamo: DynamoDBDocumentClient
  readonly stepFunctions: SFNClient
  readonly jobsTable: string
  /** The file with every event that was sent. */
  readonly eventLog: string
  /** Rights of the functions' roles. */
  readonly rights: readonly Right[]
  /** Creates a separate organization for each case. */
  newOrganization(): Promise<DemoOrganization>
  close(): Promise<void>
}

/** Long enough that a busy machine causes no time-outs: only calls that are held time out, and those immediately. */
const allowTime = (definition: FunctionDefinition) => ({
  ...definition,
  timeoutSeconds: Math.max(definition.timeoutSeconds, 60),
})

/**
 * Starts a separate service on a new data folder with the sample data.
 *
 * @param queryWaitMs how long start-query waits for its query itself; queries end within seconds on this machine
 */
export async function startFaultyService(queryWaitMs: number): Promise<FaultyService> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const proxy = new FaultProxy()
  const service = await startLocalService(folder, 0, {
    observe: proxy.standBefore,
    onInvocation: proxy.noteInvocation,
    adjust: (definition) => allowTime(waitForQueries(queryWaitMs)(definition)),
  })
  proxy.endInvocation = service.endInvocation
  await seedOnce(service, folder)
  appendFileSync(join(folder, 'logs', eventLog), '')
  const dynamo = connectDynamo()
  const access = createDynamoAccess(dynamo, service.tables.Access)
  return {
    service,
    proxy,
    dynamo,
    stepFunctions: new SFNClient({}),
    jobsTable: service.tables.Jobs,
    eventLog: join(folder, 'logs', eventLog),
    rights: readRights(readStackTemplate(join(folder, 'cdk.out'), 'SearchService')),
    newOrganization: () => createDemoOrganization(access, 'A case'),
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
