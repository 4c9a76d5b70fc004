import { readCaller } from '../../adapters/caller.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { describeFault } from '../command/errors.ts'
import { findStacks, guessStageOption } from './deployment.ts'
import { refuseFailedCreation } from './require-deployable.ts'
import { compareWithDeployed, readAllowed, refuseLosses } from './weaker-settings.ts'

/** The context in which the CDK's command synthesises. */
export interface SynthesisContext {
  /** Value of `-c allow=`. */
  readonly allow: string | undefined
  /** Account of the credentials of the CDK's command. */
  readonly account: string
}

/**
 * Makes the comparison of `npm run deploy` for a bare `cdk deploy`: prints the settings that change, and refuses to
 * weaken a protection.
 *
 * @param assembly folder of the synthesised stack
 * @throws CommandFailed
 */
export async function guardSynthesis(stage: string, assembly: string, context: SynthesisContext): Promise<void> {
  const { allow, account } = context
  const allowed = readAllowed('-c allow', allow)
  const comparison = await compare(stage, assembly, account)
  if (typeof comparison === 'string') {
    process.stderr.write(`note: the settings were not compared with the deployed stage: ${comparison}\n`)
    return
  }
  const { losses, settings = [] } = comparison
  if (settings.length > 0)
    process.stderr.write(`Settings that change:\n${settings.map((each) => `  ${each}\n`).join('')}`)
  refuseLosses(losses, allowed, { stage: `the stage ${stage}`, allow: '-c allow=' })
}

/** Compares with the deployed stage. Returns the reason if that is impossible, such as a missing right. */
async function compare(stage: string, assembly: string, account: string) {
  try {
    const caller = await readCaller()
    if (caller.account !== account)
      return `the command of the CDK works in the account ${account}, and the settings of the AWS SDK say ${caller.account}`
    const stacks = await findStacks(stage)
    refuseFailedCreation(stacks, guessStageOption(stage))
    return await compareWithDeployed(stacks, assembly)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    return describeFault(error)
  }
}
