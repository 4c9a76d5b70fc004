import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDynamoAccess } from '../adapters/dynamo-access.ts'
import { createDynamoCatalogue } from '../adapters/dynamo-catalogue.ts'
import { connectDynamo } from '../adapters/dynamo-client.ts'
import { issueApiKey, issueOrganizationId } from '../core/api-key.ts'
import type { AccessAdmin } from '../core/ports.ts'
import type { LoadDeps, LoadRequest } from '../loader/load-files.ts'
import { loadFiles } from '../loader/load-files.ts'
import type { LoadReport } from '../loader/load-report.ts'
import { openWarehouseFolder } from '../loader/warehouse-folder.ts'
import { sampleFiles } from '../local/sample-data.ts'
import type { LocalAccess } from './local-service.ts'

/** A demo organization with its API key in plain text: only for the data folder on this machine. */
export interface DemoOrganization {
  readonly id: string
  readonly api_key: string
}

/**
 * Seeds a new data folder with the sample data and two organizations with one key each. Idempotent: a seeded folder
 * returns the organizations that it has.
 */
export async function seedOnce(service: LocalAccess, dataFolder: string): Promise<readonly DemoOrganization[]> {
  const file = join(dataFolder, 'demo-organizations.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  await loadInto(service, { files: sampleFiles })
  const access = createDynamoAccess(connectDynamo(), tableName(service, 'Access'))
  const organizations = [
    await createDemoOrganization(access, 'Demo one'),
    await createDemoOrganization(access, 'Demo two'),
  ]
  // Written last and renamed into place, so that an interrupted start, or one with a full disk, seeds again.
  const draft = `${file}.draft`
  writeFileSync(draft, JSON.stringify(organizations), { mode: 0o600 })
  renameSync(draft, file)
  return organizations
}

/** Creates an organization with one key. */
export async function createDemoOrganization(access: AccessAdmin, name: string): Promise<DemoOrganization> {
  const orgId = issueOrganizationId()
  const { token, stored } = issueApiKey(orgId)
  await access.putOrganization({ orgId, name, active: true })
  await access.putKey(stored, 'demo', new Date())
  return { id: orgId, api_key: token }
}

export function loadInto(
  service: LocalAccess,
  request: LoadRequest,
  watching: Pick<LoadDeps, 'onProgress' | 'signal'> = {},
): Promise<LoadReport> {
  return loadFiles(request, {
    warehouse: openWarehouseFolder(service.warehouseFolder),
    catalogue: createDynamoCatalogue(connectDynamo(), tableName(service, 'Catalogue')),
    newSourceId: newOpaqueId,
    now: () => new Date(),
    ...watching,
  })
}

/** A new opaque id of lower-case letters and digits. */
export const newOpaqueId = () => randomBytes(10).toString('hex')

/** The physical name of one of the service's DynamoDB tables. */
export function tableName(service: LocalAccess, construct: 'Access' | 'Catalogue' | 'Jobs'): string {
  const name = service.tables[construct]
  if (name === undefined) throw new TypeError(`the stack has no table ${construct}`)
  return name
}
