/** A page that takes long to load: the one before has gone, so that nobody waits for a dead button. */
export const PendingPage = () => (
  <p role="status" className="animate-pulse p-8 text-muted">
    Loading…
  </p>
)
