import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createDynamoAccess } from '../../adapters/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamo-client.ts'
import { startLocalService } from '../../bin/local-service.ts'
import type { DemoOrganization } from '../../bin/seed.ts'
import { createDemoOrganization, seedOnce, tableName } from '../../bin/seed.ts'
import type { LocalService } from '../../local/service.ts'
import { FaultProxy } from './fault-proxy.ts'

/** A running service whose every SDK call can be made to fail. */
export interface FaultyService {
  readonly service: LocalService
  readonly proxy: FaultProxy
  readonly dynamo: DynamoDBDocumentClient
  readonly jobsTable: string
  /** An organization of its own for each case. */
  newOrganization(): Promise<DemoOrganization>
  close(): Promise<void>
}

/**
 * Time-outs, in seconds, so that a call that hangs need not be waited for as long as on AWS. Looking after a query takes
 * longer than the others, and must: it waits for it.
 */
const timeoutSeconds = (functionName: string) =>
  functionName === 'AwaitQuery' ? 12 : functionName === 'SweepSearches' ? 8 : 4

/** Starts a service of its own over a new data folder with the sample data. */
export async function startFaultyService(): Promise<FaultyService> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const proxy = new FaultProxy()
  const service = await startLocalService(folder, 0, {
    observe: proxy.standBefore,
    onInvocation: proxy.noteInvocation,
    timeoutSeconds,
  })
  proxy.crash = service.crash
  await seedOnce(service, folder)
  const dynamo = connectDynamo()
  const access = createDynamoAccess(dynamo, tableName(service, 'Access'))
  return {
    service,
    proxy,
    dynamo,
    jobsTable: tableName(service, 'Jobs'),
    newOrganization: () => createDemoOrganization(access, 'A case'),
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
