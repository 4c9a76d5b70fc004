import { UsageError } from '../../client/command-line/command-errors.ts'
import { isPermission, type KeyLimits, permissionNames } from '../../core/access/permissions.ts'

/** Limits of a key, as options of `create` and `limit`. */
export interface KeyLimitOptions {
  readonly allow?: string | undefined
}

/** @throws UsageError if a limit is not valid */
export function readKeyLimits({ allow }: KeyLimitOptions): KeyLimits {
  if (allow === undefined) return {}
  if (isPermission(allow)) return { permission: allow }
  throw new UsageError(`--allow must be one of ${permissionNames.join(', ')}, not "${allow}"`)
}

/** Returns all limits of a key, with defaults. */
export const showKeyLimits = ({ permission = 'everything' }: KeyLimits) => ({ permission })

export function describeKeyLimits(keyId: string, limits: KeyLimits): string {
  const { permission } = showKeyLimits(limits)
  return `${keyId}: permission ${permission}`
}
