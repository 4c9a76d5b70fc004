import { hold } from './property-broken.ts'

/** What clients may be told. It knows only the requests, the answers, and when they were sent. */

export interface Caller {
  readonly orgId: string
  readonly token: string
}

/** The meaningful parts of an answer that a client saw. */
export interface Seen {
  readonly status: number
  readonly jobId?: string
  readonly createdAt?: string
  readonly jobStatus?: string
  /** The body, without signatures. */
  readonly text: string
  readonly isReplay: boolean
}

/** One life of a job id: an id derived from an Idempotency-Key can be used again once its job is gone. */
interface Life {
  readonly createdAt: string
  /** The furthest status seen: 0 queued, 1 processing, 2 ended. */
  rank: number
  body?: string
  /** The answer that accepted it. */
  created?: string
  isConfirmed: boolean
  ended?: string
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

/** What was known when a request was sent; the answer must not be staler than that. */
export interface Sent {
  readonly at: number
  readonly isRefused: boolean
  readonly crashes: number
  readonly floors: ReadonlyMap<Life, Readonly<Life>>
}

const ranks: Readonly<Record<string, number>> = { queued: 0, processing: 1, completed: 2, failed: 2 }

export class ReferenceModel {
  readonly ids = new Map<string, Id>()
  readonly revoked = new Set<string>()
  readonly inactive = new Set<string>()
  private readonly retentionMs: number

  private readonly isKnown: (caller: Caller) => boolean

  constructor(retentionMs: number, isKnown: (caller: Caller) => boolean) {
    this.retentionMs = retentionMs
    this.isKnown = isKnown
  }

  isRefused = (caller: Caller): boolean => this.isKnown(caller) && this.isOut(caller)

  private isOut = (caller: Caller): boolean => this.reasons(caller).includes(true)

  /** Whether the caller's key is revoked, and its organization inactive. */
  reasons = ({ orgId, token }: Caller): readonly boolean[] => [this.revoked.has(token), this.inactive.has(orgId)]

  id(orgId: string, jobId: string): Id {
    const found = this.ids.get(`${orgId}/${jobId}`) ?? { lives: [], bodies: new Set(), deletesUnderWay: 0 }
    this.ids.set(`${orgId}/${jobId}`, found)
    return found
  }

  send(caller: Caller, jobId: string, at: number, crashes: number): Sent {
    const floors = new Map(this.id(caller.orgId, jobId).lives.map((life) => [life, { ...life }]))
    return { at, isRefused: this.isRefused(caller), crashes, floors }
  }

  /** Checks what applies to every call; true if there is more to check. */
  private admit(caller: Caller, sent: Sent, { status }: Seen, crashes: number): boolean {
    hold('P10', this.isKnown(caller) === (status !== 401) || status === 500, `${status} for the key of ${caller.orgId}`)
    hold('P10', !sent.isRefused || status === 403 || status === 500, `${status} for a refused key`)
    hold('P10', status !== 403 || this.isRefused(caller), 'a good key was refused')
    hold('P6', status !== 500 || crashes > sent.crashes, 'the service failed without an injected fault')
    return status !== 401 && status !== 403 && status !== 500
  }

  judgeCreate(caller: Caller, jobId: string | undefined, body: string, sent: Sent, seen: Seen, end: Moment): void {
    if (!this.admit(caller, sent, seen, end.crashes)) return
    if (seen.status === 422) {
      const { bodies, lives } = this.id(caller.orgId, jobId ?? '')
      const own = lives.find((life) => life.body === body && sent.floors.has(life) && !this.mayBeGone(life, end.at))
      hold('P3', bodies.size > 1 && own === undefined, 'the original body of a key was refused')
      return
    }
    hold('P6', seen.status === 202, `a search was answered ${seen.status}`)
    hold('P3', jobId === undefined || seen.jobId === jobId, 'a key returned another id than before')
    const id = this.id(caller.orgId, seen.jobId ?? '')
    const life = this.findLife(id, seen, sent, end)
    hold('P3', (life.body ?? body) === body, 'a body was answered with the job of another body')
    hold('P3', (life.created ?? seen.text) === seen.text, 'a replay differs from the first answer')
    hold('P3', seen.isReplay || !life.isConfirmed, 'one job was created twice')
    Object.assign(life, { body, created: seen.text, isConfirmed: life.isConfirmed || !seen.isReplay })
  }

  /** Checks the answer to a poll, cancellation or deletion of one of the caller's jobs. */
  judgeJob(caller: Caller, jobId: string, sent: Sent, seen: Seen, end: Moment): void {
    if (!this.admit(caller, sent, seen, end.crashes)) return
    const id = this.id(caller.orgId, jobId)
    if (seen.status === 404) {
      const lost = id.lives.find((life) => sent.floors.has(life) && !this.mayBeGone(life, end.at))
      hold('P1', lost === undefined, `the job created at ${lost?.createdAt} is not found`)
      return
    }
    if (seen.status !== 200) return
    const life = this.findLife(id, seen, sent, end)
    const rank = ranks[seen.jobStatus ?? ''] ?? 0
    hold('P1', rank >= (sent.floors.get(life)?.rank ?? 0), `${seen.jobStatus} was seen after ${life.rank}`)
    life.rank = Math.max(life.rank, rank)
    if (rank < 2) {
      life.openAt = Math.max(life.openAt, sent.at)
      return
    }
    hold('P1', (life.ended ?? seen.text) === seen.text, `${life.ended} became ${seen.text}`)
    life.ended = seen.text
    life.endedBy = Math.min(life.endedBy ?? end.at, end.at)
  }

  /** Notes that the jobs of this id may be gone from now on. */
  sendDelete(caller: Caller, jobId: string): void {
    const id = this.id(caller.orgId, jobId)
    id.deletesUnderWay += 1
    for (const life of id.lives) if (life.deletion === 'none') life.deletion = 'asked'
  }

  judgeDelete(caller: Caller, jobId: string, sent: Sent, seen: Seen, end: Moment): void {
    this.judgeJob(caller, jobId, sent, seen, end)
    const id = this.id(caller.orgId, jobId)
    id.deletesUnderWay -= 1
    const isRunning = [...sent.floors.values()].every((life) => life.rank < 2 || this.mayBeGone(life, end.at))
    hold('P1', seen.status !== 409 || isRunning, 'a job that had ended was refused as running')
    for (const life of id.lives) {
      if (seen.status === 204 && sent.floors.has(life)) life.deletion = 'done'
      if (
        seen.status !== 204 &&
        seen.status !== 500 &&
        life.deletion === 'asked' &&
        sent.floors.get(life)?.deletion === 'none'
      )
        life.deletion = id.deletesUnderWay > 0 ? 'asked' : 'none'
    }
  }

  /** Finds the life that an answer shows; a new life may only begin once the previous one is gone. */
  private findLife(id: Id, { createdAt = '' }: Seen, sent: Sent, end: Moment): Life {
    const known = id.lives.find((life) => life.createdAt === createdAt)
    const floor = known && sent.floors.get(known)
    hold('P1', !floor || !this.isGone(floor, sent.at), 'a job that is gone was returned')
    if (known) return known
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

/** When an answer came, and how many calls had been made to fail by then. */
export interface Moment {
  readonly at: number
  readonly crashes: number
}
