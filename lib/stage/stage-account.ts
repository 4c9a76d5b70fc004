import { PrintableError } from '../../schema/printable-error.ts'
import type { Stage } from './stage.ts'

/**
 * Refuses to deploy or destroy a stage in an account or region that its file does not name.
 *
 * @param account account and region of the AWS settings, as far as they are set
 * @throws PrintableError
 */
export function requireAccount(
  stage: Pick<Stage, 'name' | 'account' | 'region'>,
  account: { readonly account?: string | undefined; readonly region?: string | undefined },
): void {
  const faults = (['account', 'region'] as const)
    .filter((field) => stage[field] !== undefined && account[field] !== undefined && stage[field] !== account[field])
    .map((field) => `its ${field} is ${stage[field]}, and the settings of the AWS SDK say ${account[field]}`)
  if (faults.length > 0)
    throw new PrintableError(
      `the stage "${stage.name}" belongs elsewhere: ${faults.join('; ')}: set AWS_PROFILE and AWS_REGION`,
    )
}
