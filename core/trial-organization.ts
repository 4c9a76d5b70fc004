/**
 * Start of the ids of trial organizations, which `npm run smoke` creates and removes. Nothing about their searches is
 * announced, so a test of a stage reaches none of its subscribers (docs/adr/0047). No other id begins so.
 */
export const trialStart = 'smoke'

/** True for an organization that `npm run smoke` created. */
export const isTrialOrganization = (orgId: string): boolean => orgId.startsWith(trialStart)
