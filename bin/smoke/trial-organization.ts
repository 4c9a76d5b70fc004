import { setTimeout as sleep } from 'node:timers/promises'
import { createDynamoAccess } from '../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { issueApiKey, issueTrialOrganizationId } from '../../core/access/api-key.ts'
import { isTrialOrganization } from '../../core/trial-organization.ts'
import { removeOrganizationFrom } from '../access/remove-organization.ts'
import { describeFault } from '../command/errors.ts'
import type { Target } from './open-target.ts'

/** An organization that exists for one trial. */
export interface TrialOrganization {
  readonly orgId: string
  readonly apiKey: string
}

/** Creates an organization with a key, whose searches are not announced. */
export async function createTrialOrganization({ tables }: Pick<Target, 'tables'>): Promise<TrialOrganization> {
  const access = createDynamoAccess(connectDynamo(), tables.Access)
  const orgId = issueTrialOrganizationId()
  const { token, stored } = issueApiKey(orgId)
  const createdAt = new Date()
  await access.putOrganization({ orgId, name: `Smoke test ${createdAt.toISOString()}`, active: true, createdAt })
  await access.putKey(stored, 'smoke', createdAt)
  return { orgId, apiKey: token }
}

/** Seconds to wait for searches to end before the organization is left behind. */
const patience = 60

/**
 * Removes an organization with its key, searches and results. Its searches must have ended or been cancelled.
 *
 * @throws CommandFailed naming the command that removes it later
 */
export async function removeTrialOrganization(target: Target, orgId: string): Promise<void> {
  for (let waited = 0; ; waited += 2) {
    try {
      await removeOrganizationFrom(target, [orgId], true)
      return
    } catch (error) {
      const remove = `npm run keys -- remove-organization ${orgId} --yes`
      // A search that was just cancelled is unended until its slot is free.
      const isEnding = error instanceof CommandFailed && error.message.includes('have not ended')
      if (!isEnding) throw new CommandFailed(`${describeFault(error)}; ${orgId} remains until ${remove}`)
      if (waited >= patience) throw new CommandFailed(`a search of ${orgId} has not ended: once it has, ${remove}`)
      await sleep(2000)
    }
  }
}

/** Milliseconds after which the organization of another trial is taken for the remains of one that was killed. */
const abandonedAfter = 3_600_000

/**
 * Removes organizations of trials that were killed.
 *
 * @returns their number
 */
export async function removeAbandoned(target: Target, now: Date): Promise<number> {
  const access = createDynamoAccess(connectDynamo(), target.tables.Access)
  const abandoned = (await access.listOrganizations()).filter(
    ({ orgId, createdAt }) =>
      isTrialOrganization(orgId) && now.getTime() - (createdAt?.getTime() ?? 0) > abandonedAfter,
  )
  for (const { orgId } of abandoned) await removeOrganizationFrom(target, [orgId], true)
  return abandoned.length
}
