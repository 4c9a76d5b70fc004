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
import { readStackTemplate } from '../../local/stack-template.ts'
import type { Right } from '../least-privilege/policies.ts'
import { readRights } from '../least-privilege/policies.ts'
import { FaultProxy } from './fault-proxy.ts'

/** A running service whose every SDK call can be made to fail. */
export interface FaultyService {
  readonly service: LocalService
  readonly proxy: FaultProxy
  readonly dynamo: DynamoDBDocumentClient
  readonly jobsTable: string
  /** What the functions' roles allow. */
  readonly rights: readonly Right[]
  /** Creates the organization of a case. */
  newOrganization(): Promise<DemoOrganization>
  close(): Promise<void>
}

/** Longer time-outs, so that functions do not time out on a busy machine: only held calls may, and those at once. */
const timeoutSeconds = (_: string, seconds: number) => Math.max(seconds, 60)

/** Starts a service on a new data folder with the sample data. */
export async function startFaultyService(): Promise<FaultyService> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const proxy = new FaultProxy()
  const service = await startLocalService(folder, 0, {
    observe: proxy.standBefore,
    onInvocation: proxy.noteInvocation,
    timeoutSeconds,
  })
  proxy.endInvocation = service.endInvocation
  await seedOnce(service, folder)
  const dynamo = connectDynamo()
  const access = createDynamoAccess(dynamo, tableName(service, 'Access'))
  return {
    service,
    proxy,
    dynamo,
    jobsTable: tableName(service, 'Jobs'),
    rights: readRights(readStackTemplate(join(folder, 'cdk.out'), 'SearchService')),
    newOrganization: () => createDemoOrganization(access, 'A case'),
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
