import { UsageError } from '../../client/command-line/command-errors.ts'
import { readBytes } from '../../client/command-line/parse-options.ts'
import { isPermission, type KeyLimits, permissionNames } from '../../core/access/permissions.ts'
import { formatNumber } from '../../schema/phrases.ts'

/** Limits of a key, as options of `create` and `limit`. */
export interface KeyLimitOptions {
  readonly allow?: string | undefined
  /** A number of bytes, or `unlimited`. */
  readonly bytesPerDay?: string | undefined
}

/**
 * Changes limits of a key by options; those without an option stay.
 *
 * @throws UsageError if an option is not valid
 */
export function changeKeyLimits(before: KeyLimits, { allow, bytesPerDay: text }: KeyLimitOptions): KeyLimits {
  const permission = allow === undefined ? before.permission : readPermission(allow)
  const bytesPerDay = text === undefined ? before.bytesPerDay : readBytesPerDay(text)
  return { ...(permission && { permission }), ...(bytesPerDay !== undefined && { bytesPerDay }) }
}

function readPermission(allow: string) {
  if (isPermission(allow)) return allow
  throw new UsageError(`--allow must be one of ${permissionNames.join(', ')}, not "${allow}"`)
}

const readBytesPerDay = (text: string) =>
  text === unlimited ? undefined : readBytes('--bytes-per-day', text, unlimited)

const unlimited = 'unlimited'

/** Returns all limits of a key, with defaults. */
export const showKeyLimits = ({ permission = 'everything', bytesPerDay }: KeyLimits) => ({
  permission,
  bytesPerDay: bytesPerDay ?? unlimited,
})

export function describeKeyLimits(keyId: string, limits: KeyLimits): string {
  const { permission, bytesPerDay } = showKeyLimits(limits)
  const bytes = typeof bytesPerDay === 'number' ? formatNumber(bytesPerDay) : bytesPerDay
  return `${keyId}: permission ${permission}, bytes per day ${bytes}`
}
