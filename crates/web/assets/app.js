// What makes the page live.
