// Package tuned is accesslog after the lessons that gain something in it: the report is the
// same. Lines are parts of one string, and an entry is filled again and again (step 1). The
// time of most lines is that of the line before (step 6). What is counted by class or by
// service is in an array, and what is the same for a minute is done once a minute (step 9).
// The standard library looks for the ends of lines and fields, many bytes at a time (step 12).
// Workers share nothing that they write (step 13).
package tuned
