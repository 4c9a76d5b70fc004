import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import { issueApiKey, issueOrganizationId } from '../../core/access/api-key.ts'
import type { AccessAdmin } from '../../core/access/ports.ts'
import { loadNppes } from '../../loader/nppes/load-nppes.ts'
import { loadSpecialties, type SpecialtiesDeps } from '../../loader/nppes/load-specialties.ts'
import type { LoadDeps, LoadRequest } from '../../loader/publish/load-request.ts'
import { openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import { loadFiles } from '../../loader/run/load-files.ts'
import type { LoadReport } from '../../loader/run/load-report.ts'
import { realMachine } from '../../loader/write/machine.ts'
import {
  nppesPath,
  octoberFiles,
  octoberLoadedAt,
  sampleFiles,
  specialtiesPath,
} from '../../local/samples/sample-data.ts'
import type { LocalStorage } from '../../local/storage.ts'
import { demoFile } from '../command/local-access.ts'
import { connectCatalogue } from '../warehouse/connect-catalogue.ts'

/** An organization of the demo, with its key in plain text: only for the data folder of this machine. */
export interface DemoOrganization {
  readonly id: string
  readonly api_key: string
}

/**
 * Loads the sample data into a new data folder and creates two organizations with a key each. If the folder has them
 * already, reads them back; a folder that `load --create` made gets none.
 */
export async function seedOnce(service: LocalStorage, dataFolder: string): Promise<readonly DemoOrganization[]> {
  const file = demoFile(dataFolder)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  await loadSamples(openLoad(service))
  const access = createDynamoAccess(connectDynamo(commandRequests), service.tables.Access)
  const organizations = [
    await createDemoOrganization(access, 'Demo one'),
    await createDemoOrganization(access, 'Demo two'),
  ]
  // Written last and renamed into place, so that an interrupted start begins again.
  const draft = `${file}.draft`
  writeFileSync(draft, JSON.stringify(organizations), { mode: 0o600 })
  renameSync(draft, file)
  return organizations
}

/** Creates an organization with one key. */
export async function createDemoOrganization(access: AccessAdmin, name: string): Promise<DemoOrganization> {
  const orgId = issueOrganizationId()
  const { token, stored } = issueApiKey(orgId)
  await access.putOrganization({ orgId, name, active: true, createdAt: new Date() })
  await access.putKey(stored, 'demo', new Date())
  return { id: orgId, api_key: token }
}

/**
 * Loads the samples of two months, NPPES and specialties. October is loaded at a time in October, so that searches can
 * go back to it and compare the months, and November now. It replaces November if a start was interrupted, and is
 * replaced in turn.
 */
export async function loadSamples(deps: LoadDeps & Pick<SpecialtiesDeps, 'specialties'>): Promise<void> {
  const loadedAt = Math.min(octoberLoadedAt.getTime(), deps.now().getTime())
  await loadFiles({ files: octoberFiles, allowOlder: true }, { ...deps, now: () => new Date(loadedAt) })
  await loadFiles({ files: sampleFiles }, deps)
  await loadNppes({ path: nppesPath }, deps)
  await loadSpecialties(specialtiesPath, deps)
}

/** Loads in-network files into the warehouse of a local service. */
export const loadInto = (
  service: LocalStorage,
  request: LoadRequest,
  watching: Pick<LoadDeps, 'onProgress' | 'signal'> = {},
): Promise<LoadReport> => loadFiles(request, { ...openLoad(service), ...watching })

const openLoad = (service: LocalStorage) => ({
  warehouse: openWarehouseFolder(service.warehouseFolder),
  ...connectCatalogue(service.tables),
  machine: realMachine,
})
