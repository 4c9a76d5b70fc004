import type { Limits } from '../../core/limits/usage.ts'
import { formatTimestamp } from '../../core/time.ts'
import { hold } from './property-broken.ts'
import type { Caller, ListEntry, Moment, Reply } from './reference-facts.ts'

/** Judges the answers that clients may get. It knows only the requests, the answers, and when they were sent. */

/** One life of a job id: an id derived from an Idempotency-Key can be used again once its job is gone. */
interface Life {
  createdAt: string
  /** The furthest status seen: 0 queued, 1 processing, 2 ended. */
  rank: number
  body?: string
  /** The answer that accepted it. */
  created?: string
  isConfirmed: boolean
  ended?: string
  /** Its manifest once it has ended. */
  described?: string
  /** The last time at which it was known not to have ended. */
  openAt: number
  /** The first time at which it was known to have ended. */
  endedBy?: number
  deletion: 'none' | 'asked' | 'done'
}

interface Id {
  readonly lives: Life[]
  readonly bodies: Set<string>
  deletesUnderWay: number
}

/** Facts that were known when a request was sent; the answer must not be staler. */
export interface Sent {
  readonly at: number
  readonly isRefused: boolean
  readonly crashes: number
  readonly floors: ReadonlyMap<Life, Readonly<Life>>
}

const ranks: Readonly<Record<string, number>> = { queued: 0, processing: 1, completed: 2, failed: 2 }

interface Facts {
  readonly retentionMs: number
  readonly isKnown: (caller: Caller) => boolean
  readonly limitsOf: (orgId: string) => Limits
}

export class ReferenceModel {
  readonly ids = new Map<string, Id>()
  readonly revoked = new Set<string>()
  readonly inactive = new Set<string>()
  private readonly retentionMs: number

  private readonly isKnown: (caller: Caller) => boolean
  private readonly limitsOf: (orgId: string) => Limits
  /** When each request was sent that may have created a search, by organization. */
  private readonly creations = new Map<string, number[]>()
  /** When each estimate was answered that may have counted towards the limit, by organization. */
  private readonly estimates = new Map<string, number[]>()

  constructor({ retentionMs, isKnown, limitsOf }: Facts) {
    this.retentionMs = retentionMs
    this.isKnown = isKnown
    this.limitsOf = limitsOf
  }

  isRefused = (caller: Caller): boolean => this.isKnown(caller) && this.isOut(caller)

  private isOut = (caller: Caller): boolean => this.reasons(caller).includes(true)

  /** True for each if the caller's key is revoked, and its organization inactive. */
  reasons = ({ orgId, token }: Caller): readonly boolean[] => [this.revoked.has(token), this.inactive.has(orgId)]

  id(orgId: string, jobId: string): Id {
    const id = this.ids.get(`${orgId}/${jobId}`) ?? { lives: [], bodies: new Set(), deletesUnderWay: 0 }
    this.ids.set(`${orgId}/${jobId}`, id)
    return id
  }

  /** The search that a client sent for a job; undefined if its answer was lost. */
  bodyOf({ orgId }: Caller, jobId: string, createdAt: string): string | undefined {
    return this.id(orgId, jobId).lives.find((life) => life.createdAt === createdAt)?.body
  }

  send(caller: Caller, jobId: string, at: number, crashes: number): Sent {
    const floors = new Map(this.id(caller.orgId, jobId).lives.map((life) => [life, { ...life }]))
    return { at, isRefused: this.isRefused(caller), crashes, floors }
  }

  /** As `send`, for an answer about any number of the caller's jobs. */
  sendForAll(caller: Caller, at: number, crashes: number): Sent {
    const floors = new Map(this.livesOf(caller).map(({ life }) => [life, { ...life }]))
    return { at, isRefused: this.isRefused(caller), crashes, floors }
  }

  private livesOf({ orgId }: Caller): readonly { readonly jobId: string; readonly life: Life }[] {
    const entries = [...this.ids].filter(([key]) => key.startsWith(`${orgId}/`))
    return entries.flatMap(([key, { lives }]) => lives.map((life) => ({ jobId: key.slice(orgId.length + 1), life })))
  }

  /** Checks what applies to every call; true if there is more to check. */
  admit(caller: Caller, sent: Sent, { status }: Reply, crashes: number): boolean {
    hold('P10', this.isKnown(caller) === (status !== 401) || status === 500, `${status} for the key of ${caller.orgId}`)
    hold('P10', !sent.isRefused || status === 403 || status === 500, `${status} for a refused key`)
    hold('P10', status !== 403 || this.isRefused(caller), 'a good key was refused')
    hold('P6', status !== 500 || crashes > sent.crashes, 'internal error without an injected fault')
    return status !== 401 && status !== 403 && status !== 500
  }

  /** Checks the answer to a creation. @param jobId derived from the key; undefined without one */
  judgeCreate({ caller, sent, reply, end }: Exchange, jobId: string | undefined, body: string): void {
    if (![401, 403, 429].includes(reply.status))
      this.creations.set(caller.orgId, [...(this.creations.get(caller.orgId) ?? []), sent.at])
    if (!this.admit(caller, sent, reply, end.crashes)) return
    if (reply.status === 429) {
      this.judgeLimited(caller, end)
      return
    }
    if (reply.status === 422) {
      const { bodies, lives } = this.id(caller.orgId, jobId ?? '')
      const original = lives.find(
        (life) => life.body === body && sent.floors.has(life) && !this.mayBeGone(life, end.at),
      )
      hold('P3', bodies.size > 1 && original === undefined, 'the original body of a key was refused')
      return
    }
    hold('P6', reply.status === 202, `a search was answered ${reply.status}`)
    hold('P3', jobId === undefined || reply.jobId === jobId, 'a key returned another id than before')
    const id = this.id(caller.orgId, reply.jobId ?? '')
    const life = this.findLife(id, reply, sent, end)
    hold('P3', (life.body ?? body) === body, 'a body was answered with the job of another body')
    hold('P3', (life.created ?? reply.text) === reply.text, 'a replay differs from the first answer')
    hold('P3', reply.isReplay || !life.isConfirmed, 'one job was created twice')
    Object.assign(life, { body, created: reply.text, isConfirmed: life.isConfirmed || !reply.isReplay })
  }

  /**
   * A limit was reached, unless a call failed or races: then the organization can hold slots that no client knows of.
   */
  private judgeLimited(caller: Caller, end: Moment): void {
    if (end.isRacing || end.crashes > 0) return
    const { searches, perMinute } = this.limitsOf(caller.orgId)
    const created = (this.creations.get(caller.orgId) ?? []).filter((at) => at > end.at - 60_000).length
    const running = this.livesOf(caller).filter(
      ({ life }) => life.endedBy === undefined && life.deletion !== 'done',
    ).length
    const facts = `${created} created in a minute, ${running} running`
    hold('P13', created >= perMinute || running >= searches, `a search was refused with ${facts}`)
  }

  /**
   * Checks the status of an estimate: 429 is right only after as many estimates as the organization may send in a
   * minute, unless a call failed or races.
   *
   * @returns true if the answer has an estimate to check
   */
  judgeEstimate({ caller, sent, reply, end }: Exchange): boolean {
    const estimates = this.estimates.get(caller.orgId) ?? []
    if (![401, 403, 429].includes(reply.status)) this.estimates.set(caller.orgId, [...estimates, end.at])
    if (!this.admit(caller, sent, reply, end.crashes)) return false
    if (reply.status !== 429) return true
    const recent = estimates.filter((at) => at > sent.at - 60_000).length
    const isReached = recent >= this.limitsOf(caller.orgId).perMinute
    hold('P13', end.isRacing || end.crashes > 0 || isReached, `an estimate was refused with ${recent} in a minute`)
    return false
  }

  /** Checks the list of all of the caller's jobs, or the jobs of one status, read page by page. */
  judgeList(
    { caller, sent, end }: Omit<Exchange, 'reply'>,
    status: string | undefined,
    entries: readonly ListEntry[],
  ): void {
    const places = entries.map(({ createdAt, jobId }) => `${createdAt} ${jobId}`)
    hold('P14', new Set(places).size === places.length, `${places} has a job twice`)
    hold('P14', places.toSorted().reverse().join() === places.join(), `${places} are not the newest first`)
    for (const { jobId, createdAt, jobStatus } of entries) {
      hold('P14', status === undefined || jobStatus === status, `${jobStatus} is in the list of ${status}`)
      const life = this.findLife(this.id(caller.orgId, jobId), { createdAt }, sent, end)
      const rank = ranks[jobStatus] ?? 0
      hold('P14', rank >= (sent.floors.get(life)?.rank ?? 0), `${jobStatus} was listed after ${life.rank}`)
      life.rank = Math.max(life.rank, rank)
      if (rank < 2) life.openAt = Math.max(life.openAt, sent.at)
      else life.endedBy = Math.min(life.endedBy ?? end.at, end.at)
    }
    if (status !== undefined || end.isRacing) return
    const certainJobs = this.livesOf(caller).filter(({ life }) => !this.mayBeGone(life, end.at))
    const missing = certainJobs.filter(({ jobId, life }) => !places.includes(`${life.createdAt} ${jobId}`))
    hold('P14', missing.length === 0, `${missing.map(({ jobId }) => jobId)} are not in the list`)
  }

  /** Checks the answer to a poll, manifest, cancellation or deletion of one of the caller's jobs. */
  private judgeJob({ caller, sent, reply, end }: Exchange, jobId: string, shown: Shown = 'ended'): void {
    if (!this.admit(caller, sent, reply, end.crashes)) return
    const id = this.id(caller.orgId, jobId)
    if (reply.status === 404) {
      const lost = id.lives.find((life) => sent.floors.has(life) && !this.mayBeGone(life, end.at))
      hold('P1', lost === undefined, `the job created at ${lost?.createdAt} is not found`)
      return
    }
    if (reply.status !== 200) return
    const life = this.findLife(id, reply, sent, end)
    const rank = ranks[reply.jobStatus ?? ''] ?? 0
    hold('P1', rank >= (sent.floors.get(life)?.rank ?? 0), `${reply.jobStatus} was seen after ${life.rank}`)
    life.rank = Math.max(life.rank, rank)
    if (rank < 2) {
      life.openAt = Math.max(life.openAt, sent.at)
      return
    }
    hold('P1', (life[shown] ?? reply.text) === reply.text, `${life[shown]} became ${reply.text}`)
    life[shown] = reply.text
    life.endedBy = Math.min(life.endedBy ?? end.at, end.at)
  }

  /** As `judgeJob`, for a call that only looks: a job that was not found once must stay gone. */
  judgeLook(exchange: Exchange, jobId: string, shown: Shown): void {
    this.judgeJob(exchange, jobId, shown)
    const { caller, sent, reply } = exchange
    if (reply.status !== 404) return
    for (const life of this.id(caller.orgId, jobId).lives) if (sent.floors.has(life)) life.deletion = 'done'
  }

  /** Notes that the stored creation of a job was moved, so that all answers show this time from now on. */
  moveCreation({ orgId }: Pick<Caller, 'orgId'>, jobId: string, time: Date): void {
    const createdAt = formatTimestamp(time)
    for (const life of this.id(orgId, jobId).lives) {
      for (const shown of ['created', 'ended', 'described'] as const)
        if (life[shown] !== undefined) life[shown] = life[shown].replace(life.createdAt, createdAt)
      life.createdAt = createdAt
    }
  }

  /** Notes that the jobs of this id may be gone from now on. */
  sendDelete(caller: Caller, jobId: string): void {
    const id = this.id(caller.orgId, jobId)
    id.deletesUnderWay += 1
    for (const life of id.lives) if (life.deletion === 'none') life.deletion = 'asked'
  }

  judgeDelete(exchange: Exchange, jobId: string): void {
    this.judgeJob(exchange, jobId)
    const { caller, sent, reply, end } = exchange
    const id = this.id(caller.orgId, jobId)
    id.deletesUnderWay -= 1
    const isRunning = [...sent.floors.values()].every((life) => life.rank < 2 || this.mayBeGone(life, end.at))
    hold('P1', reply.status !== 409 || isRunning, 'a job that had ended was refused as running')
    // A refused write of a call that was made to fail reads like the deletion by another call.
    const isGone = reply.status === 204 || (reply.status === 404 && end.crashes === sent.crashes)
    for (const life of id.lives) {
      if (isGone && sent.floors.has(life)) life.deletion = 'done'
      if (
        ![204, 404, 500].includes(reply.status) &&
        life.deletion === 'asked' &&
        sent.floors.get(life)?.deletion === 'none'
      )
        life.deletion = id.deletesUnderWay > 0 ? 'asked' : 'none'
    }
  }

  /** Finds the life that an answer shows; a new life may only begin once the previous one is gone. */
  private findLife(id: Id, { createdAt = '' }: Pick<Reply, 'createdAt'>, sent: Sent, end: Moment): Life {
    const shownLife = id.lives.find((life) => life.createdAt === createdAt)
    const floor = shownLife && sent.floors.get(shownLife)
    hold('P1', !floor || !this.isGone(floor, sent.at), 'a job that is gone was returned')
    if (shownLife) return shownLife
    const other = id.lives.find((life) => !this.mayBeGone(life, end.at))
    hold('P3', other === undefined, `a second job has the id of the one created at ${other?.createdAt}`)
    const deletion = id.deletesUnderWay > 0 ? 'asked' : 'none'
    const life: Life = { createdAt, rank: 0, isConfirmed: false, openAt: Date.parse(createdAt), deletion }
    id.lives.push(life)
    return life
  }

  private mayBeGone({ deletion, openAt }: Life, at: number): boolean {
    return deletion !== 'none' || at >= openAt + this.retentionMs
  }

  private isGone({ deletion, endedBy }: Life, at: number): boolean {
    return deletion === 'done' || (endedBy !== undefined && at >= endedBy + this.retentionMs)
  }
}

/** A call of a client, from its request to its answer. */
interface Exchange {
  readonly caller: Caller
  readonly sent: Sent
  readonly reply: Reply
  readonly end: Moment
}

/** The answer that shows an ended job: its poll, or its manifest. */
type Shown = 'ended' | 'described'
