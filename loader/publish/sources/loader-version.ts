import { hash } from 'node:crypto'
import type { Source } from '../../../core/catalogue/content.ts'
import { repairRules } from '../../../fetch/repair-json.ts'
import { relationColumns } from '../../../schema/columns/rates.ts'
import { layoutVersion } from '../../../schema/columns/warehouse-tables.ts'
import type { EncodeOptions } from '../../write/encode-file.ts'
import type { LoadRequest } from '../load-request.ts'

const storedColumns = relationColumns.filter(({ home }) => home !== 'view')
const columnFacts = storedColumns.map(({ name, type, home, sourceField }) => [name, type, home, sourceField])
const layout = JSON.stringify([columnFacts, layoutVersion])

/**
 * The version of the loader's rules. Sources of the same version are reused unread, so raise the number when a rule
 * changes; the hash covers changed columns and places of files.
 */
const loaderVersion = `8.${hash('sha256', layout).slice(0, 8)}`

/** Default maximum share of a file's prices that may be skipped. */
const defaultMaxSkipped = 0.01

/** Stricter than any share: a strict load also refuses values that others convert. */
const strictest = -1

type Limits = Pick<LoadRequest, 'strict' | 'maxSkipped'>

/** Returns the options for the encoding of a load's files. */
export const describeEncoding = (request: LoadRequest): Omit<EncodeOptions, 'finder' | 'machine'> => ({
  partial: request.partial ?? false,
  maxSkipped: request.maxSkipped ?? defaultMaxSkipped,
  strict: request.strict ?? false,
  assumesVersion: request.assumeVersion !== undefined,
  repair: request.repair,
  withoutDescriptions: request.withoutDescriptions,
  maxCpu: request.maxCpu,
  filter: request.filter,
})

/** Returns the version of a load's rules, with the share of values that it may skip; a strict load skips none. */
export const versionOf = (limits: Limits): string => `${loaderVersion}/${maxShareOf(limits)}`

const maxShareOf = ({ strict, maxSkipped = defaultMaxSkipped }: Limits) => (strict ? strictest : maxSkipped)

/** True if a load of this request reads an unchanged file into the same rows as its source has. */
export function isReadAlike(source: Source, request: LoadRequest): boolean {
  const { loaderVersion: sourceVersion, findings, partial, filterId, withoutDescriptions } = source
  const [version, maxShare] = sourceVersion.split('/')
  // A source that was read with more lenient limits might be refused now.
  if (version !== loaderVersion || Number(maxShare) > maxShareOf(request)) return false
  // If the file names no publisher, it may have a different one now.
  if (partial || findings['missing-entity'] !== undefined) return false
  if (request.repair !== true && repairRules.some((rule) => findings[rule] !== undefined)) return false
  if (request.assumeVersion === undefined && findings['assumed-version'] !== undefined) return false
  return filterId === request.filter?.id && (withoutDescriptions ?? false) === (request.withoutDescriptions ?? false)
}
